import { isDeepStrictEqual } from 'node:util';
import { appendErrors } from '@slipway/api-machinery/errors/append-errors';
import { type FieldError, forbidden, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { fieldErrorBody } from '@slipway/api-machinery/errors/field-errors';
import { maxErrors } from '@slipway/api-machinery/errors/status-errors';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { itemSchema, type JsonSchema, valueSchema } from '@slipway/api-machinery/schema/json-schema';
import { compilePattern } from '@slipway/api-machinery/schema/pattern';

type Level = 'root' | 'item' | 'field';

const eitherIntOrString: readonly JsonSchema[] = [{ type: 'integer' }, { type: 'string' }];

/**
 * Checks that a schema is structural: it says the type of everything outside of
 * anyOf, oneOf, allOf and not, which only restrict values. Without that nothing
 * could be pruned or defaulted. Errors are sorted.
 */
export function* validateStructure(schema: JsonSchema, path: string): Resumable<FieldError[]> {
  const found = [...(yield* validateNode(schema, path, 'root')), ...validateCompleteness(schema, schema, path, path)];
  const errors = found.slice(0, maxErrors);
  const text = (error: FieldError) => `${error.field}: ${fieldErrorBody(error)}`;
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
}

function* validateNode(schema: JsonSchema, path: string, level: Level): Resumable<FieldError[]> {
  yield;
  const errors: FieldError[] = [];
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const { type = '', properties = {}, additionalProperties } = schema;

  if (type === 'array' && schema.items === undefined) errors.push(required(`${path}.items`, 'must be specified'));
  yield* below(schema, path, errors);
  if (additionalProperties !== undefined && additionalProperties !== false && level === 'root') {
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  for (const extension of ['preserve-unknown-fields', 'embedded-resource'] as const) {
    if (isIntOrString && schema[`x-kubernetes-${extension}`]) {
      const detail = 'must be false if x-kubernetes-int-or-string is true';
      errors.push(invalid(`${path}.x-kubernetes-${extension}`, true, detail));
    }
  }
  appendErrors(errors, validateRestrictions(schema, path));
  if (isEmbedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail));
  } else if (type === '' && !isIntOrString && !preserves) {
    errors.push(required(`${path}.type`, `must not be empty ${emptyAt[level]}`));
  }
  if (isEmbedded && additionalProperties !== undefined) {
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(`${path}.type`, type, 'must be object at the root'));
  }
  if (level === 'root' || isEmbedded) appendErrors(errors, validateOwnFields(schema, path, level));
  if (isEmbedded && !preserves && Object.keys(properties).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(`${path}.properties`, detail));
  }
  return errors;
}

const emptyAt: Record<Level, string> = {
  root: 'at the root',
  item: 'for specified array items',
  field: 'for specified object fields',
};

function* below(schema: JsonSchema, path: string, errors: FieldError[]): Resumable<void> {
  const items = itemSchema(schema);
  const others = valueSchema(schema);
  if (items) appendErrors(errors, yield* validateNode(items, `${path}.items`, 'item'));
  const { properties = {} } = schema;
  for (const name of Object.keys(properties)) {
    if (errors.length >= maxErrors) return;
    appendErrors(errors, yield* validateNode(properties[name] as JsonSchema, `${path}.properties[${name}]`, 'field'));
  }
  if (others) appendErrors(errors, yield* validateNode(others, `${path}.additionalProperties`, 'field'));
}

/** apiVersion, kind and metadata are there without being said; a schema can restrict only names. */
function validateOwnFields({ properties = {} }: JsonSchema, path: string, level: Level): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['kind', 'apiVersion'] as const) {
    const type = properties[name]?.type ?? '';
    if (properties[name] && type !== 'string') {
      errors.push(invalid(`${path}.properties[${name}].type`, type, 'must be string'));
    }
  }
  const { metadata } = properties;
  if (!metadata) return errors;
  const field = `${path}.properties[metadata]`;
  if (metadata.type !== 'object') errors.push(invalid(`${field}.type`, metadata.type ?? '', 'must be object'));
  const { type: _type, default: _default, properties: named = {}, ...rest } = metadata;
  const onlyNames = Object.keys(named).every((name) => name === 'name' || name === 'generateName');
  if (level === 'root' && !(onlyNames && Object.keys(rest).length === 0)) {
    errors.push(
      forbidden(
        field,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    );
  }
  return errors;
}

/** The junctors of a node, and its pattern. */
function validateRestrictions(schema: JsonSchema, path: string, skipAnyOf = false): FieldError[] {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern } = schema;
  const errors: FieldError[] = [];
  const intOrString = skipAnyOf || isDeepStrictEqual(anyOf, eitherIntOrString);
  if (!intOrString) {
    for (const [index, one] of anyOf.entries()) appendErrors(errors, validateNested(one, `${path}.anyOf[${index}]`));
  }
  for (const [index, one] of allOf.entries()) {
    const first = index === 0 && isDeepStrictEqual(one.anyOf, eitherIntOrString);
    appendErrors(errors, validateNested(one, `${path}.allOf[${index}]`, first));
  }
  for (const [index, one] of oneOf.entries()) appendErrors(errors, validateNested(one, `${path}.oneOf[${index}]`));
  if (not) appendErrors(errors, validateNested(not, `${path}.not`));
  if (pattern) {
    const compiled = compilePattern(pattern);
    if (typeof compiled === 'string') {
      errors.push(invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${compiled}`));
    }
  }
  return errors;
}

/** A schema inside a junctor: it restricts values and defines nothing. */
function validateNested(schema: JsonSchema, path: string, skipAnyOf = false): FieldError[] {
  const items = itemSchema(schema);
  const errors: FieldError[] = [
    ...validateRestrictions(schema, path, skipAnyOf),
    ...(items ? validateNested(items, `${path}.items`) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      validateNested(property, `${path}.properties[${name}]`),
    ),
  ];
  const refuse = (given: unknown, keyword: string, what: 'empty' | 'undefined' | 'false') => {
    if (given) errors.push(forbidden(`${path}.${keyword}`, `must be ${what} to be structural`));
  };
  refuse(schema.type, 'type', 'empty');
  refuse(schema.additionalProperties, 'additionalProperties', 'undefined');
  refuse(schema.default !== undefined, 'default', 'undefined');
  refuse(schema.title, 'title', 'empty');
  refuse(schema.description, 'description', 'empty');
  refuse(schema.nullable, 'nullable', 'false');
  for (const extension of ['preserve-unknown-fields', 'embedded-resource', 'int-or-string'] as const) {
    refuse(schema[`x-kubernetes-${extension}`], `x-kubernetes-${extension}`, 'false');
  }
  refuse(schema['x-kubernetes-list-map-keys']?.length, 'x-kubernetes-list-map-keys', 'empty');
  refuse(schema['x-kubernetes-list-type'] !== undefined, 'x-kubernetes-list-type', 'undefined');
  refuse(schema['x-kubernetes-map-type'] !== undefined, 'x-kubernetes-map-type', 'undefined');
  refuse(schema['x-kubernetes-validations']?.length, 'x-kubernetes-validations', 'empty');
  if (schema.properties && Object.hasOwn(schema.properties, 'metadata')) {
    errors.push(forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  }
  return errors;
}

/** What a junctor of the root restricts must be there outside of it. */
function validateCompleteness(
  restriction: JsonSchema,
  structure: JsonSchema | undefined,
  path: string,
  from: string,
): FieldError[] {
  if (!structure) return [required(path, `because it is defined in ${from}`)];
  const nested = (inner: JsonSchema | undefined, at: string): FieldError[] =>
    inner === undefined
      ? []
      : [...validateCompleteness(inner, structure, path, at), ...validateMembers(inner, structure, path, at)];
  const { not, allOf = [], anyOf = [], oneOf = [] } = restriction;
  return [
    ...nested(not, `${from}.not`),
    ...allOf.flatMap((inner, index) => nested(inner, `${from}.allOf[${index}]`)),
    ...anyOf.flatMap((inner, index) => nested(inner, `${from}.anyOf[${index}]`)),
    ...oneOf.flatMap((inner, index) => nested(inner, `${from}.oneOf[${index}]`)),
  ];
}

function validateMembers(restriction: JsonSchema, structure: JsonSchema, path: string, from: string): FieldError[] {
  const errors: FieldError[] = [];
  const items = itemSchema(restriction);
  const check = (inner: JsonSchema, outer: JsonSchema | undefined, at: string, inFrom: string) => {
    appendErrors(errors, validateCompleteness(inner, outer, at, inFrom));
    if (outer) appendErrors(errors, validateMembers(inner, outer, at, inFrom));
  };
  if (items) check(items, itemSchema(structure), `${path}.items`, `${from}.items`);
  for (const [name, property] of Object.entries(restriction.properties ?? {})) {
    const outer = structure.properties?.[name];
    check(property, outer, `${path}.properties[${name}]`, `${from}.properties[${name}]`);
  }
  return errors;
}
