import { type StatusCause, stringifyJson } from '@slipway/kube';
import type { FieldError } from './field-error.js';
import { goQuoted } from './go-quoted.js';

/** As the value of an error: a value that is not shown, such as an object that breaks one of its rules. */
export const omitted: unique symbol = Symbol('omitted');

interface Words {
  readonly text: string;
  readonly reason: string;
  readonly showsValue: boolean;
}

const words: Record<FieldError['type'], Words> = {
  Required: { text: 'Required value', reason: 'FieldValueRequired', showsValue: false },
  Invalid: { text: 'Invalid value', reason: 'FieldValueInvalid', showsValue: true },
  TypeInvalid: { text: 'Invalid value', reason: 'FieldValueTypeInvalid', showsValue: true },
  Duplicate: { text: 'Duplicate value', reason: 'FieldValueDuplicate', showsValue: true },
  NotSupported: { text: 'Unsupported value', reason: 'FieldValueNotSupported', showsValue: true },
  Forbidden: { text: 'Forbidden', reason: 'FieldValueForbidden', showsValue: false },
  TooLong: { text: 'Too long', reason: 'FieldValueTooLong', showsValue: false },
  TooMany: { text: 'Too many', reason: 'FieldValueTooMany', showsValue: true },
  NotFound: { text: 'Not found', reason: 'FieldValueNotFound', showsValue: true },
  InternalError: { text: 'Internal error', reason: 'InternalError', showsValue: false },
};

/** No value is shown with more characters. */
const longestShown = 64 * 1024;
/** Maximum characters of an object's errors together; the first one is always reported. */
const maxMessageLength = 1024 * 1024;

/** A string as messages show it, truncated when it is long. */
export function shown(text: string): string {
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}

/** The first errors, up to a limit: a hostile object must not turn into a message of megabytes. */
export function firstErrors(errors: readonly FieldError[], most: number): readonly FieldError[] {
  return firstThatFit(
    errors.length > most ? errors.slice(0, most) : errors,
    (error) => placeOf(error).length + fieldErrorBody(error).length,
  );
}

/**
 * Returns the first findings, at least one, whose descriptions fit into an answer. A path may be as long as a body, and
 * have a finding for each value in one.
 * @param lengthOf characters of a description
 */
export function firstThatFit<T>(findings: readonly T[], lengthOf: (finding: T) => number): readonly T[] {
  let length = 0;
  for (const [index, finding] of findings.entries()) {
    length += lengthOf(finding);
    if (index > 0 && length > maxMessageLength) return findings.slice(0, index);
  }
  return findings;
}

const bodies = new WeakMap<FieldError, string>();

/** Formats an error without its field: `Invalid value: -1: must be positive`. */
export function fieldErrorBody(error: FieldError): string {
  const known = bodies.get(error);
  if (known !== undefined) return known;
  const body = bodyOf(error);
  bodies.set(error, body);
  return body;
}

function bodyOf(error: FieldError): string {
  const { text, showsValue } = words[error.type];
  const value = showsValue && error.value !== omitted ? `: ${showValue(error.value)}` : '';
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
  if (typeof value === 'string') return goQuoted(shown(value));
  if (typeof value !== 'object' || value === null) return stringifyJson(value);
  const known = shownObjects.get(value);
  if (known !== undefined) return known;
  // Objects are written by Go's encoder, which keeps texts safe for HTML.
  const text = shown(stringifyJson(value)).replace(/[<>&]/g, (sign) => goEscapes[sign] ?? sign);
  shownObjects.set(value, text);
  return text;
}

/** Many errors may show the same object, such as the list in which every element is wrong. */
const shownObjects = new WeakMap<object, string>();

const goEscapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };
