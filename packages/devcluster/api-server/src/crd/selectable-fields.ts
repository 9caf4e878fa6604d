import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { type JsonSchema, propertySchema, valueSchema } from '@slipway/api-machinery/schema/json-schema';
import type { KubeObject } from '@slipway/kube';
import { parseJsonPath, valuesAt } from './json-path.js';

type Declared = readonly { readonly jsonPath: string }[];

const limit = 8;

/** The field selectors a version declares: `spec.size` -> its value as text. */
export function selectorsOf(declared: Declared | undefined): Record<string, (object: KubeObject) => string> {
  return Object.fromEntries(
    (declared ?? []).map(({ jsonPath }) => {
      const path = parseJsonPath(jsonPath);
      return [jsonPath.replace(/^\./, ''), (object: KubeObject) => text(valuesAt(path, object).next().value)] as const;
    }),
  );
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

/** Validates spec.versions[*].selectableFields. */
export function validateSelectableFields(declared: Declared, schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { jsonPath }] of declared.entries()) {
    const field = `${path}[${index}].jsonPath`;
    if (!jsonPath) {
      errors.push({ type: 'Required', field, detail: '' });
      continue;
    }
    const problem = problemOf(jsonPath, schema);
    if (problem) errors.push({ type: 'Invalid', field, value: jsonPath, detail: problem });
    else if (seen.has(jsonPath)) errors.push({ type: 'Duplicate', field, value: jsonPath, detail: '' });
    seen.add(jsonPath);
  }
  if (seen.size > limit) {
    errors.push({ type: 'TooMany', field: path, value: seen.size, detail: `must have at most ${limit} items` });
  }
  return errors;
}

function problemOf(jsonPath: string, schema: JsonSchema): string | undefined {
  if (jsonPath.includes('[')) return 'is an invalid path: array notation is not allowed';
  if (!jsonPath.startsWith('.')) return `is an invalid path: expected [ or . but got: ${jsonPath.split('.')[0]}`;
  const names = jsonPath.slice(1).split('.');
  if (names.includes('')) return 'is an invalid path: unexpected end of JSON path';
  if (names[0] === 'metadata') return 'must not point to fields in metadata';
  let at: JsonSchema | undefined = schema;
  for (const name of names) {
    at = at && (propertySchema(at, name) ?? valueSchema(at));
    if (!at) return 'is an invalid path: does not refer to a valid field';
  }
  return at && ['string', 'boolean', 'integer'].includes(at.type ?? '')
    ? undefined
    : 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
}
