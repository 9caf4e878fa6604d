/**
 * The reader's position in an object, innermost first. Made for each object, list and
 * map but not for each value, so that a path costs nothing until it is needed.
 */
export interface ValuePosition {
  readonly outer: ValuePosition | undefined;
  /** Name in a struct, key in a map, or index in a list; undefined at the top. */
  readonly step: string | number | undefined;
  /** Only names of structs are part of the paths that Go prints. */
  readonly named: boolean;
  /** Type of the object here; in a list or map, of the object that has it. */
  readonly type: GoType;
  /** Inside here Go no longer knows the outer path, and does not look for unknown fields. */
  readonly opaque?: boolean;
}

/** The Go type of an object. */
export interface GoType {
  /** `core.v1.PodSpec`; absent for types that no table has. */
  readonly id?: string;
  /** `PodSpec` */
  readonly name: string;
  /** The path of a field below embedded structs: `VolumeSource.nfs`. */
  goPath(field: string): string;
}

/** The JSON type of a value does not fit its field. The message is that of Go's decoder. */
export class UnmarshalError extends Error {
  override readonly name = 'UnmarshalError';
  /** Whether the decoder goes no further: the value has a decoder of its own. */
  isFinal = false;
  /** The value, and the Go type that it does not fit; undefined for what is wrong with a value of the right type. */
  readonly misfit: { readonly value: unknown; readonly type: string; readonly isString: boolean } | undefined;

  constructor(message: string, misfit?: UnmarshalError['misfit']) {
    super(message);
    this.misfit = misfit;
  }

  final(): this {
    this.isFinal = true;
    return this;
  }
}

/** `spec.containers[0].name`: how unknown and duplicate fields are reported. */
export function fieldPath(place: ValuePosition | undefined, name: string): string {
  let path = name;
  for (let at = place; at; at = at.outer) {
    if (typeof at.step === 'number') path = path.startsWith('[') ? `[${at.step}]${path}` : `[${at.step}].${path}`;
    else if (at.step !== undefined) path = path.startsWith('[') ? at.step + path : `${at.step}.${path}`;
  }
  return path;
}

/**
 * @param name the field of the object at `place` whose value is wrong; undefined for the element or map value at
 * `place`.
 * @param isString whether the type is one of strings, whatever its name
 */
export function unmarshalError(
  place: ValuePosition,
  name: string | undefined,
  value: unknown,
  type: string,
  isString = type === 'string',
): UnmarshalError {
  const names = name === undefined ? [] : [place.type.goPath(name)];
  let struct = place.type.name;
  for (let at: ValuePosition | undefined = place; at; at = at.outer) {
    if (at.named && at.step !== undefined) names.unshift(at.outer?.type.goPath(String(at.step)) ?? String(at.step));
    if (at.opaque) struct = at.outer?.type.name ?? struct;
  }
  return new UnmarshalError(
    `json: cannot unmarshal ${jsonKind(value, type)} into Go ${
      names.length === 0 ? 'value' : `struct field ${struct}.${names.join('.')}`
    } of type ${type}`,
    { value, type, isString },
  );
}

function jsonKind(value: unknown, type: string): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' || typeof value === 'bigint')
    return /^(?:int|float)/.test(type) ? `number ${value}` : 'number';
  return typeof value;
}
