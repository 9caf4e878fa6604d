import { type FieldError, invalid } from '@slipway/api-machinery/errors/field-error';

/** A path that does not lead upwards. */
export function validateNoBacksteps(path: string, field: string): FieldError[] {
  return path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : [];
}

/** A path inside a folder. */
export function validateLocalPath(path: string, field: string): FieldError[] {
  const absolute = path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : [];
  return [...absolute, ...validateNoBacksteps(path, field)];
}

/** A path inside a folder whose entries that begin with `..` belong to the system. */
export function validateLocalFile(path: string, field: string): FieldError[] {
  const isReserved = path.startsWith('..') && !path.startsWith('../');
  return [...validateLocalPath(path, field), ...(isReserved ? [invalid(field, path, "must not start with '..'")] : [])];
}
