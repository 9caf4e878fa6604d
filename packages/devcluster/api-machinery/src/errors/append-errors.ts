import type { FieldError } from './field-error.js';

/** Appends errors one by one: a spread argument list has a limit that a large schema can exceed. */
export function appendErrors(errors: FieldError[], more: readonly FieldError[]): void {
  for (const error of more) errors.push(error);
}
