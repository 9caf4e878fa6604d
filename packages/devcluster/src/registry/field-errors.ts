import { type StatusCause, stringifyJson } from '@slipway/kube';
import type { FieldError } from './resource-definition.js';

/** As the value of an error: a value that is not shown, such as an object that breaks one of its rules. */
export const omitted: unique symbol = Symbol('omitted');

const words: Record<FieldError['type'], { readonly text: string; readonly reason: string; readonly shown: boolean }> = {
  Required: { text: 'Required value', reason: 'FieldValueRequired', shown: false },
  Invalid: { text: 'Invalid value', reason: 'FieldValueInvalid', shown: true },
  TypeInvalid: { text: 'Invalid value', reason: 'FieldValueTypeInvalid', shown: true },
  Duplicate: { text: 'Duplicate value', reason: 'FieldValueDuplicate', shown: true },
  NotSupported: { text: 'Unsupported value', reason: 'FieldValueNotSupported', shown: true },
  Forbidden: { text: 'Forbidden', reason: 'FieldValueForbidden', shown: false },
  TooLong: { text: 'Too long', reason: 'FieldValueTooLong', shown: false },
  TooMany: { text: 'Too many', reason: 'FieldValueTooMany', shown: true },
  NotFound: { text: 'Not found', reason: 'FieldValueNotFound', shown: true },
  InternalError: { text: 'Internal error', reason: 'InternalError', shown: false },
};

/** What is wrong, without the field: `Invalid value: -1: must be positive`. */
export function fieldErrorBody(error: FieldError): string {
  const { text, shown } = words[error.type];
  const value = shown && error.value !== omitted ? `: ${showValue(error.value)}` : '';
  return `${text}${value}${error.detail === '' ? '' : `: ${error.detail}`}`;
}

/** Several errors as the message of a `Status` has them: each once, in brackets when there are more than one. */
export function describeFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map((error) => `${placeOf(error)}: ${fieldErrorBody(error)}`))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

/** The same errors as `details.causes`. */
export function toCauses(errors: readonly FieldError[]): StatusCause[] {
  return errors.map((error) => ({
    reason: words[error.type].reason,
    message: fieldErrorBody(error),
    field: placeOf(error),
  }));
}

/** An error about the object as a whole has a place, too. */
function placeOf({ field }: FieldError): string {
  return field === '' ? '[]' : field;
}

function showValue(value: unknown): string {
  if (value === undefined) return 'null';
  const text = stringifyJson(value);
  // Objects are written by Go's encoder, which keeps texts safe for HTML.
  return typeof value === 'object' ? text.replace(/[<>&]/g, (sign) => goEscapes[sign] ?? sign) : text;
}

const goEscapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };
