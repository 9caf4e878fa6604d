import type { Node } from '../parser/parse.js';
import type { Meter } from '../values/failure.js';
import type { Value } from '../values/values.js';

/** One evaluation: the values of variables, and what it costs. */
export interface Frame {
  readonly slots: Value[];
  readonly meter: Meter;
}

/** A part of an expression, ready to run. */
export type Run = (frame: Frame) => Value;

/** Where variables are kept in a frame. */
export type Slots = ReadonlyMap<string, number>;

/** Prepares a part of an expression; `slots` says where its variables are. */
export interface Preparer {
  node(node: Node, slots: Slots): Run;
}
