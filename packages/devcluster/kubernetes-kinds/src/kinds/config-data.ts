import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden } from '@slipway/api-machinery/errors/field-error';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { equalJson } from '@slipway/api-machinery/json/json-value';

type Texts = Readonly<Record<string, string>>;

/** Bytes that the values of a config map or a secret may have together. */
export const maxDataBytes = 1024 * 1024;

type Holder = Readonly<Record<string, unknown>>;

/** Validates an update of an object that is marked immutable. */
export function validateFrozen(object: Holder, old: Holder, fields: readonly string[]): FieldError[] {
  if (old.immutable !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const errors = object.immutable === true ? [] : [forbidden('immutable', detail)];
  const changed = fields.filter((field) => !equalJson(object[field] ?? null, old[field] ?? null));
  return [...errors, ...changed.map((field) => forbidden(field, detail))];
}

/** Validates the keys of a data map. */
export function* validateKeys(values: Texts, field: string): Resumable<FieldError[]> {
  const errors: FieldError[] = [];
  let seen = 0;
  for (const key in values) {
    if (++seen % keysPerStep === 0) yield;
    if (plainKey.test(key)) continue;
    errors.push(...invalidBecause(`${field}[${key}]`, key, configKeyProblems(key)));
  }
  return errors;
}

/** Bytes of values, which are texts or base64. */
export function* bytesOf(values: Texts, encoding: 'utf8' | 'base64'): Resumable<number> {
  let sum = 0;
  let seen = 0;
  for (const key in values) {
    if (++seen % keysPerStep === 0) yield;
    sum += Buffer.byteLength(values[key] ?? '', encoding);
  }
  return sum;
}

/** Keys that are checked before others may have their turn. */
const keysPerStep = 1_024;

/** Nearly all keys are short and begin with something else than a dot: one look is enough. */
const plainKey = /^[-_a-zA-Z0-9][-._a-zA-Z0-9]{0,252}$/;

/** Keys of config maps and secrets. */
export function configKeyProblems(key: string): string[] {
  const problems: string[] = [];
  if (key.length > 253) problems.push('must be no more than 253 characters');
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' " +
        "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === '.') problems.push("must not be '.'");
  else if (key === '..') problems.push("must not be '..'");
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}
