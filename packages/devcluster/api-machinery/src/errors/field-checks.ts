import { type FieldError, invalid, notSupported, required } from './field-error.js';

/** Turns problems, such as those of `errors/names.ts`, into errors of one field. */
export function invalidBecause(field: string, value: unknown, problems: readonly string[]): FieldError[] {
  return problems.map((problem) => invalid(field, value, problem));
}

/** A word that is one of those there are, or not set. */
export function oneOf(field: string, value: string | undefined, supported: readonly string[]): FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

/** A word that must be set, and one of those there are. */
export function requiredOneOf(field: string, value: string | undefined, supported: readonly string[]): FieldError[] {
  return value ? oneOf(field, value, supported) : [required(field)];
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
