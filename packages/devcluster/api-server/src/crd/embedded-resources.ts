import { appendErrors } from '@slipway/api-machinery/errors/append-errors';
import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import {
  dns1035Problems,
  labelProblems,
  labelValueProblems,
  pathSegmentProblems,
  qualifiedNameProblems,
} from '@slipway/api-machinery/errors/names';
import { maxErrors } from '@slipway/api-machinery/errors/status-errors';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { itemSchema, type JsonSchema, propertySchema, valueSchema } from '@slipway/api-machinery/schema/json-schema';
import { schemaFact } from './schema-fact.js';

/** Checks apiVersion, kind and metadata of every embedded resource in a value. */
export function* validatingResources(value: unknown, schema: JsonSchema): Resumable<FieldError[]> {
  const errors: FieldError[] = [];
  yield* visit(value, schema, '', errors);
  return errors;
}

function* visit(value: unknown, schema: JsonSchema | undefined, path: string, errors: FieldError[]): Resumable<void> {
  if (!schema || !hasResources(schema) || errors.length >= maxErrors) return;
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    for (const [index, element] of value.entries()) yield* visit(element, items, `${path}[${index}]`, errors);
    return;
  }
  if (!isJsonObject(value)) return;
  if (schema['x-kubernetes-embedded-resource']) {
    appendErrors(errors, validateResource(value, path));
    yield;
  }
  for (const name of Object.keys(value)) {
    const inner = propertySchema(schema, name) ?? valueSchema(schema);
    yield* visit(value[name], inner, path === '' ? name : `${path}.${name}`, errors);
  }
}

const hasResources = schemaFact((schema) => schema['x-kubernetes-embedded-resource'] === true);

function validateResource(resource: Record<string, unknown>, path: string): FieldError[] {
  return [
    ...named(resource.apiVersion, `${path}.apiVersion`, (text) =>
      text.split('/').length > 2 ? [`unexpected GroupVersion string: ${text}`] : [],
    ),
    ...named(resource.kind, `${path}.kind`, (text) =>
      dns1035Problems(text.toLowerCase()).map(
        (problem) => `may have mixed case, but should otherwise match: ${problem}`,
      ),
    ),
    ...(isJsonObject(resource.metadata) ? validateMetadata(resource.metadata, `${path}.metadata`) : []),
  ];
}

function named(value: unknown, field: string, problems: (text: string) => readonly string[]): FieldError[] {
  if (value === undefined || value === null) return [{ type: 'Required', field, detail: '' }];
  if (value === '') return [{ type: 'Invalid', field, value, detail: 'must not be empty' }];
  return invalidBecause(field, String(value), problems(String(value)));
}

function validateMetadata(metadata: Record<string, unknown>, path: string): FieldError[] {
  const { name, generateName, namespace, labels = {}, annotations = {} } = metadata;
  const errors: FieldError[] = [];
  if (typeof name === 'string') errors.push(...invalidBecause(`${path}.name`, name, pathSegmentProblems(name)));
  if (typeof generateName === 'string') {
    errors.push(...invalidBecause(`${path}.generateName`, generateName, pathSegmentProblems(generateName)));
  }
  if (typeof namespace === 'string')
    errors.push(...invalidBecause(`${path}.namespace`, namespace, labelProblems(namespace)));
  for (const [key, value] of Object.entries(labels as Record<string, string>)) {
    errors.push(...invalidBecause(`${path}.labels`, key, qualifiedNameProblems(key)));
    errors.push(...invalidBecause(`${path}.labels`, value, labelValueProblems(value)));
  }
  for (const key of Object.keys(annotations as object)) {
    errors.push(...invalidBecause(`${path}.annotations`, key, qualifiedNameProblems(key.toLowerCase())));
  }
  return errors;
}
