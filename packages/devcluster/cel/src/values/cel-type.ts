/** A type of the Common Expression Language. Types are compared by name and parameters. */
export interface CelType {
  readonly name: string;
  readonly params: readonly CelType[];
  /** A parameter of a signature, such as the T of list(T). */
  readonly isVariable?: boolean;
  /** Fields of an object type. */
  readonly fields?: ReadonlyMap<string, CelType>;
}

/** The type of that name, with its parameters. */
export function celType(name: string, ...params: readonly CelType[]): CelType {
  return { name, params };
}

export const dyn = celType('dyn');
/** What an empty list holds, or an optional value of none: a type that is still open. */
export const open = celType('dyn');
/** The type of what was already complained about: it fits everywhere, so that nothing is said twice. */
export const errorType = celType('!error!');
export const nullType = celType('null');
export const bool = celType('bool');
export const int = celType('int');
export const uint = celType('uint');
export const double = celType('double');
export const string = celType('string');
export const bytes = celType('bytes');
export const timestamp = celType('timestamp');
export const duration = celType('duration');
export const listOf = (element: CelType): CelType => celType('list', element);
export const mapOf = (key: CelType, value: CelType): CelType => celType('map', key, value);
export const optionalOf = (value: CelType): CelType => celType('optional_type', value);
export const typeOf = (type: CelType): CelType => celType('type', type);

/**
 * The type of a value at a place in a schema: Kubernetes gives each object of a schema a type of its own, which is
 * named after where it is, and takes no two of them for the same.
 */
export function placed(type: CelType, place: string): CelType {
  if (type.fields) return type.name === 'object' ? { ...type, name: place } : type;
  const [first, second] = type.params;
  if (type.name === 'list' && first) return listOf(placed(first, `${place}.@idx`));
  if (type.name === 'map' && first && second) return mapOf(first, placed(second, `${place}.@elem`));
  return type.name === 'optional_type' && first ? optionalOf(placed(first, place)) : type;
}

/** A type as messages show it: `map(string, int)`. */
export function showType(type: CelType): string {
  return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(showType).join(', ')})`;
}

/** Nothing is known of it, so everything is allowed. */
export function isDynamic({ name }: CelType): boolean {
  return name === 'dyn' || name === '!error!';
}

/** Whether a part of a type is still open. */
export function isOpen(type: CelType): boolean {
  return type === open || type.params.some(isOpen);
}

/** What the variables of a signature stand for in one call. */
export type Bindings = Map<string, CelType>;

/** Whether a value of one type may stand where another is wanted; learns what variables stand for. */
export function fits(wanted: CelType, given: CelType, bindings: Bindings): boolean {
  if (wanted.isVariable) return fitsVariable(wanted.name, given, bindings);
  if (isDynamic(wanted) || isDynamic(given)) return true;
  if (given.name === 'null') return wanted.name === 'null' || takesNull(wanted);
  // Types are of one kind, whichever they are.
  if (wanted.name === 'type' && given.name === 'type') return true;
  return (
    wanted.name === given.name &&
    wanted.params.length === given.params.length &&
    wanted.params.every((param, index) => fits(param, given.params[index] as CelType, bindings))
  );
}

function fitsVariable(name: string, given: CelType, bindings: Bindings): boolean {
  const bound = bindings.get(name);
  const isDyn = given.name === dyn.name && given !== open;
  if (bound === undefined || bound === open || (isDyn && bound !== errorType)) {
    bindings.set(name, given);
    return true;
  }
  if (fits(bound, given, bindings)) return true;
  if (!fits(given, bound, bindings)) return false;
  bindings.set(name, given);
  return true;
}

function takesNull({ name, fields }: CelType): boolean {
  const isOfLibrary = name.includes('.') || name === 'optional_type';
  return fields !== undefined || isOfLibrary || name === 'timestamp' || name === 'duration';
}

/** A type with its variables replaced; those that stand for nothing stay open. */
export function substitute(type: CelType, bindings: Bindings): CelType {
  if (type.isVariable) return bindings.get(type.name) ?? open;
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((param) => substitute(param, bindings)) };
}

export function sameType(a: CelType, b: CelType): boolean {
  return (
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((param, index) => sameType(param, b.params[index] as CelType))
  );
}

/** The type of all, dyn when they have none in common. */
export function commonType(types: readonly CelType[]): CelType {
  let common = types[0] ?? open;
  for (const type of types.slice(1)) {
    const both = joinedType(common, type);
    if (!both) return dyn;
    common = both;
  }
  return common;
}

/** The type of both, in which what one of them leaves open is what the other says; undefined when they differ. */
export function joinedType(a: CelType, b: CelType): CelType | undefined {
  if (a === open) return b;
  if (b === open) return a;
  if (a.name !== b.name || a.params.length !== b.params.length) return undefined;
  if (a.params.length === 0) return a;
  const params = a.params.map((param, index) => joinedType(param, b.params[index] as CelType));
  return params.every((param) => param !== undefined) ? { ...a, params } : undefined;
}
