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
