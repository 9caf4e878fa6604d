import type { CelType } from './cel-type.js';
import type { Value } from './values.js';

/** A part of an object as its schema describes it: its type, how large it may be, and how it is read. */
export interface Shape {
  readonly type: CelType;
  /** Most characters, elements or entries. */
  readonly maxSize: number;
  /** Least bytes of it in a request, from which follows how many of it fit into one. */
  readonly minBytes: number;
  /** Of a list: its elements. Of a map: its values. */
  readonly element?: Shape;
  readonly fields?: ReadonlyMap<string, Shape>;
  /** A JSON value as expressions see it. */
  readonly read: (value: unknown) => Value;
}
