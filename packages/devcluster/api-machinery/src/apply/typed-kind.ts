import type { FieldSchema } from '../schema/object-schema.js';
import type { FieldSet } from './field-set.js';

/** A kind of objects at one version, as far as ownership of fields needs to know it. */
export interface TypedKind {
  readonly apiVersion: string;
  readonly type: FieldSchema;
  /** Fields that a write does not touch, whatever its body says: they are never owned through it. */
  readonly ignored: FieldSet;
  /**
   * The kind at another version, and how to see an object as that version has it.
   * Undefined where there is no such version: whoever owned its fields owns nothing.
   * `see` must not change its argument.
   */
  at(apiVersion: string): OtherVersion | undefined;
}

export interface OtherVersion {
  readonly type: FieldSchema;
  /** @throws ShapeError for an object that the other version cannot hold. */
  readonly see: (object: unknown) => unknown;
  /** The way back. */
  readonly back: (object: unknown) => unknown;
}
