/** One thing wrong with an object; `field` is a path such as `spec.containers[0].name`. */
export interface FieldError {
  readonly type:
    | 'Required'
    | 'Invalid'
    | 'TypeInvalid'
    | 'Duplicate'
    | 'NotSupported'
    | 'Forbidden'
    | 'TooLong'
    | 'TooMany'
    | 'NotFound'
    | 'InternalError';
  readonly field: string;
  /** The offending value, shown in the message of Invalid, Duplicate and NotSupported. */
  readonly value?: unknown;
  /** What is wrong with it. For NotSupported: `supported values: "a", "b"`. */
  readonly detail: string;
}

/** A field that must be set is not. */
export function required(field: string, detail = ''): FieldError {
  return { type: 'Required', field, detail };
}

/** A value that breaks a rule, which `detail` states. */
export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { type: 'Invalid', field, value, detail };
}

/** A value that may occur once occurs again. */
export function duplicate(field: string, value: unknown): FieldError {
  return { type: 'Duplicate', field, value, detail: '' };
}

/** A value that is none of those there are. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const values = supported.map((one) => JSON.stringify(one)).join(', ');
  return { type: 'NotSupported', field, value, detail: `supported values: ${values}` };
}

/** A word that is one of those there are, or not set. */
export function oneOf(field: string, value: string | undefined, supported: readonly string[]): FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

/** A word that must be set, and one of those there are. */
export function requiredOneOf(field: string, value: string | undefined, supported: readonly string[]): FieldError[] {
  return value ? oneOf(field, value, supported) : [required(field)];
}

/** A change, or a combination, that is not allowed. */
export function forbidden(field: string, detail: string): FieldError {
  return { type: 'Forbidden', field, detail };
}

/** A reference to something that the object does not have. */
export function notFound(field: string, value: unknown): FieldError {
  return { type: 'NotFound', field, value, detail: '' };
}

/** More bytes than there may be. */
export function tooLong(field: string, maxBytes: number): FieldError {
  return { type: 'TooLong', field, detail: `may not be more than ${maxBytes} bytes` };
}

/** More items than there may be. */
export function tooMany(field: string, count: number, most: number): FieldError {
  return { type: 'TooMany', field, value: count, detail: `must have at most ${most} items` };
}

/** Turns problems, such as those of `errors/names.ts`, into errors of one field. */
export function invalidBecause(field: string, value: unknown, problems: readonly string[]): FieldError[] {
  return problems.map((problem) => invalid(field, value, problem));
}

/** A number that must not be below zero. */
export function nonNegative(field: string, value: number | null | undefined): FieldError[] {
  if (value === undefined || value === null || value >= 0) return [];
  return [invalid(field, value, 'must be greater than or equal to 0')];
}

/** A value that must stay what it was. */
export function unchanged(field: string, value: unknown, old: unknown, same: (a: unknown, b: unknown) => boolean) {
  return same(value, old) ? [] : [invalid(field, value, 'field is immutable')];
}
