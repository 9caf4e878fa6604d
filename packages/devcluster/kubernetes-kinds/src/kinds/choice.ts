import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { notSupported, required } from '@slipway/api-machinery/errors/field-error';

/** Validates a word that must be given, and one of some. */
export function validateChoice(value: string, choices: readonly string[], field: string): FieldError[] {
  if (value === '') return [required(field)];
  return choices.includes(value) ? [] : [notSupported(field, value, choices)];
}
