import type { KubeObject } from '@slipway/kube';
import type { FieldError } from '../errors/field-error.js';
import type { Resumable } from '../event-loop/resumable.js';

/**
 * The shape of a kind's objects: what fields there are and how lists merge. Made
 * from the type table for built-in kinds and from openAPIV3Schema for custom ones.
 */
export interface ObjectSchema {
  /**
   * Brings a decoded body to the form that is stored: drops fields the kind does
   * not have (their paths are returned, such as `spec.foo`), and normalises
   * leaf values (quantities, times). Works in place.
   * @throws StatusError BadRequest when a value has the wrong JSON type.
   */
  admit(object: KubeObject): { readonly unknown: readonly string[] };
  /**
   * Fills in the defaults that the schema declares, in place. Nulls that stand for nothing go, unless they are kept.
   * @throws StatusError when the object would be larger than the store takes
   */
  applyDefaults(object: KubeObject, nulls?: 'kept'): void;
  /**
   * Drops fields whose gate is off, in place, unless the stored object already uses the gate. Asked only about gates that
   * are off by default. Absent for custom kinds.
   */
  dropDisabled?(object: KubeObject, old: KubeObject | undefined, isEnabled: (gate: string) => boolean): void;
  /** What the schema itself demands: types, required, enum, pattern, bounds. Absent for built-in kinds. */
  validate?(object: KubeObject, old?: KubeObject): Resumable<readonly FieldError[]>;
  /** Reads `application/vnd.kubernetes.protobuf`; absent for custom kinds (415). */
  decodeProtobuf?(body: Uint8Array): KubeObject;
  /** Replaces integers beyond the range of their fields by what Go's conversion makes of them, in place. Absent for custom kinds. */
  wrapIntegers?(object: KubeObject): void;
  /** Brings an accepted object to the form that reading it back gives, in place. Absent for custom kinds. */
  toStored?(object: KubeObject): void;
  /** A copy with the fields in the order in which Kubernetes writes them. Absent for custom kinds, whose fields are in the order of names. */
  inOrder?(object: KubeObject): KubeObject;
  /** Merge facts of the field at the top of an object; walk down with `field`. */
  readonly root: FieldSchema;
  /** OpenAPI v3 schema objects by definition name, the kind's own one first. */
  openapi(): { readonly name: string; readonly definitions: Readonly<Record<string, unknown>> };
}

/** How a field merges: by strategic merge, and by server-side apply. */
export interface FieldSchema {
  readonly type: 'object' | 'map' | 'list' | 'scalar' | 'any';
  /** The field of an object by JSON name, the value type of a map, undefined when unknown. */
  field(name: string): FieldSchema | undefined;
  /** Element type of a list. */
  readonly items?: FieldSchema;
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  /** An object of which nothing is described: any name, and any value. */
  readonly undescribed?: true;
  /** What a scalar must be; absent = any scalar. */
  readonly scalar?: 'string' | 'numeric' | 'boolean';
  /** Default of the field: it counts where fields tell the elements of a list apart. */
  readonly default?: unknown;
  /** Whether an object names the field, where `field` also knows fields that it only allows. Absent = it names all. */
  declares?(name: string): boolean;
}
