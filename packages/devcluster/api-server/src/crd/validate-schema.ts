import { appendErrors } from '@slipway/api-machinery/errors/append-errors';
import { oneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { maxErrors } from '@slipway/api-machinery/errors/status-errors';
import { type Resumable, runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { runInSlices } from '@slipway/api-machinery/event-loop/run-in-slices';
import { yieldToEventLoop } from '@slipway/api-machinery/event-loop/yield-to-event-loop';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { itemSchema, type JsonSchema, valueSchema, visitSchemas } from '@slipway/api-machinery/schema/json-schema';
import {
  itemPlace,
  propertyPlace,
  type RulePlace,
  rootPlace,
  validateExpressions,
  validateTotalCost,
  valuePlace,
} from '@slipway/cel/kubernetes/validate-expressions';
import { validateStructure } from './structural-rules.js';
import { validateSchemaDefaults } from './validate-defaults.js';
import { validateRules } from './validation-rules.js';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Results of validation in slices that were not used yet, by the path of the schema. */
const found = new WeakMap<JsonSchema, Map<string, FieldError[]>>();
/** Schemas with fewer keywords are looked at when it is asked for. */
const maxInTurn = 500;

/** Validates an openAPIV3Schema. @param path where it stands, for the errors */
export function validateSchema(schema: JsonSchema, path: string): FieldError[] {
  const before = found.get(schema);
  const errors = before?.get(path);
  before?.delete(path);
  return errors ?? runToCompletion(schemaErrors(schema, path));
}

/**
 * Looks at schemas as `validateSchema` will, and lets others have their turn in between: the answer is there when it is
 * asked for. Undefined when there is so little to look at that it may be done then.
 */
export function validateInSlices(
  places: readonly { readonly schema: JsonSchema; readonly path: string }[],
): Promise<void> | undefined {
  let left = maxInTurn;
  for (const { schema } of places) left -= countKeywords(schema, left);
  return left > 0 ? undefined : validateEach(places);
}

async function validateEach(places: readonly { readonly schema: JsonSchema; readonly path: string }[]): Promise<void> {
  for (const { schema, path } of places) {
    await yieldToEventLoop();
    const byPath = found.get(schema) ?? new Map<string, FieldError[]>();
    found.set(schema, byPath.set(path, await runInSlices(schemaErrors(schema, path))));
  }
}

/** How many keys and elements there are in a value; stops counting at `most`. */
function countKeywords(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const name in value) {
    if (count >= most) break;
    count += 1 + countKeywords((value as Record<string, unknown>)[name], most - count - 1);
  }
  return count;
}

function* schemaErrors(schema: JsonSchema, path: string): Resumable<FieldError[]> {
  const errors: FieldError[] = [];
  if (schema.nullable) errors.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  // Nothing is known of the structure of a schema with keywords that custom resources do not have.
  const unknown = structurelessKeyword(schema);
  if (unknown === undefined) {
    appendErrors(errors, yield* validateStructure(schema, path));
    if (errors.length === 0) appendErrors(errors, yield* validateSchemaDefaults(schema, path));
  }
  // Only a structural schema gives values the types that expressions are checked against.
  const place = errors.length > 0 || unknown !== undefined || !hasTypes(schema) ? undefined : rootPlace();
  appendErrors(errors, yield* validateKeywords(schema, path, { ...(place && { place }) }));
  if (errors.length === 0 && unknown !== undefined) {
    errors.push(invalid(path, '', `${structureOf} '${unknown}' is not supported`));
  }
  if (place) appendErrors(errors, [...place.findings.errors, ...validateTotalCost(place.findings, path)]);
  return errors;
}

const structureless = [
  'id',
  '$schema',
  '$ref',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
] as const;

const structureOf = 'OpenAPIV3Schema';

/** Whether an error says that nothing is known of the structure of a schema. */
export function isOfStructure({ detail }: FieldError): boolean {
  return detail.startsWith(`${structureOf} '`);
}

/** Whether Kubernetes makes types of a schema: it stops at one that says of itself that it does not keep unknown fields. */
function hasTypes(schema: JsonSchema): boolean {
  let found = true;
  visitSchemas(schema, (each) => {
    if (each['x-kubernetes-preserve-unknown-fields'] === false) found = false;
  });
  return found;
}

/** The first keyword somewhere in a schema that custom resources do not have, as Kubernetes names it. */
function structurelessKeyword(schema: JsonSchema): string | undefined {
  let found: string | undefined;
  visitSchemas(schema, (each) => {
    const keyword = structureless.find((name) => isGiven((each as Record<string, unknown>)[name]));
    found ??= keyword === '$schema' ? 'schema' : keyword;
  });
  return found;
}

function isGiven(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

interface Context {
  /** Inside metadata of a resource. */
  readonly metadata?: boolean;
  /** Why there may be no default here. */
  readonly noDefaults?: string;
  /** Where rules stand; absent where their expressions are not looked at. */
  readonly place?: RulePlace;
}

/** Keywords that custom resources do not have, and extensions that contradict each other. */
function* validateKeywords(schema: JsonSchema, path: string, context: Context): Resumable<FieldError[]> {
  yield;
  const errors = [
    ...unsupported(schema, path, context),
    ...(schema.uniqueItems
      ? [
          forbidden(
            `${path}.uniqueItems`,
            'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
          ),
        ]
      : []),
    ...validateAdditional(schema, path),
    ...(yield* below(schema, path, context)),
    ...validateExtensions(schema, path),
    ...validateListMap(schema, path),
    ...validateListItems(schema, path),
    ...validateRules(schema, path),
  ];
  // Errors of a schema cause misleading errors of its expressions.
  if (context.place && errors.length === 0) yield* validateExpressions(schema, path, context.place);
  return errors;
}

function unsupported(schema: JsonSchema, path: string, context: Context): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (given: unknown, keyword: string) => {
    if (given) errors.push(forbidden(`${path}.${keyword}`, `${keyword} is not supported`));
  };
  if (schema.default !== undefined && context.noDefaults) {
    errors.push(forbidden(`${path}.default`, `must not be set ${context.noDefaults}`));
  }
  refuse(schema.id, 'id');
  refuse(schema.additionalItems !== undefined, 'additionalItems');
  refuse(Object.keys(schema.patternProperties ?? {}).length > 0, 'patternProperties');
  refuse(Object.keys(schema.definitions ?? {}).length > 0, 'definitions');
  refuse(schema.dependencies !== undefined, 'dependencies');
  refuse(schema.$ref !== undefined, '$ref');
  if (schema.type === 'null') {
    errors.push(forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  } else if (schema.type && !types.includes(schema.type)) {
    errors.push(notSupported(`${path}.type`, schema.type, types));
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    errors.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  }
  if (context.metadata && schema['x-kubernetes-embedded-resource']) {
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
  }
  return errors;
}

function validateAdditional(schema: JsonSchema, path: string): FieldError[] {
  const { additionalProperties, properties } = schema;
  if (additionalProperties === undefined) return [];
  if (Object.keys(properties ?? {}).length === 0 || additionalProperties === true) return [];
  return [forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive')];
}

function* below(schema: JsonSchema, path: string, context: Context): Resumable<FieldError[]> {
  const errors: FieldError[] = [];
  const isRoot = path.endsWith('openAPIV3Schema');
  const others = valueSchema(schema);
  const at = (move: typeof valuePlace) => context.place && { place: move(context.place, schema, path) };
  const { place: _, ...inJunction } = context;
  if (others) {
    const noDefaults = 'inside additionalProperties applying to object metadata';
    const ofValues = { ...context, ...(context.metadata && { noDefaults }), ...at(valuePlace) };
    appendErrors(errors, yield* validateKeywords(others, `${path}.additionalProperties`, ofValues));
  }
  const { properties = {} } = schema;
  for (const name of Object.keys(properties)) {
    if (errors.length >= maxErrors) return errors;
    const ofResource =
      (isRoot || schema['x-kubernetes-embedded-resource']) && ['apiVersion', 'kind', 'metadata'].includes(name);
    const own: Context = ofResource
      ? { metadata: true, ...(isRoot && { noDefaults: `in top-level ${name}` }) }
      : context;
    const inProperty = { ...own, ...at(propertyPlace) };
    appendErrors(
      errors,
      yield* validateKeywords(properties[name] as JsonSchema, `${path}.properties[${name}]`, inProperty),
    );
  }
  if (schema.not) appendErrors(errors, yield* validateKeywords(schema.not, `${path}.not`, inJunction));
  for (const word of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [index, one] of (schema[word] ?? []).entries()) {
      appendErrors(errors, yield* validateKeywords(one, `${path}.${word}[${index}]`, inJunction));
    }
  }
  const items = itemSchema(schema);
  if (items) appendErrors(errors, yield* validateKeywords(items, `${path}.items`, { ...context, ...at(itemPlace) }));
  return errors;
}

function validateExtensions(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const mapType = schema['x-kubernetes-map-type'];
  const listType = schema['x-kubernetes-list-type'];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  const requireType = (type: string, extension: string) => {
    const detail = `must be ${type} if ${extension} is specified`;
    if (schema.type === type) return;
    errors.push(schema.type ? invalid(`${path}.type`, schema.type, detail) : required(`${path}.type`, detail));
  };
  if (mapType !== undefined) {
    requireType('object', 'x-kubernetes-map-type');
    const known = ['atomic', 'granular'];
    errors.push(...oneOf(`${path}.x-kubernetes-map-type`, mapType, known));
  }
  if (listType !== undefined) {
    requireType('array', 'x-kubernetes-list-type');
    const known = ['atomic', 'set', 'map'];
    errors.push(...oneOf(`${path}.x-kubernetes-list-type`, listType, known));
  }
  return errors;
}

function validateListMap(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const items = itemSchema(schema);
  const keysPath = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const field = `${path}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(field, detail) : invalid(field, listType, detail));
  }
  if (listType !== 'map') return errors;
  if (keys.length === 0) errors.push(required(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
  if (!items) return [...errors, required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(`${path}.items.type`, items.type ?? '', detail)];
  }
  for (const [index, key] of keys.entries()) {
    const property = items.properties?.[key];
    if (!property) errors.push(invalid(keysPath, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${path}.items.properties[${key}].type`, items.type, detail));
    }
    if (keys.indexOf(key) < index) errors.push(invalid(keysPath, keys, 'must not contain duplicate entries'));
  }
  return errors;
}

/** Elements of sets and maps must be comparable, and their keys there. */
function validateListItems(schema: JsonSchema, path: string): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const items = itemSchema(schema);
  if (!items || (listType !== 'map' && listType !== 'set')) return [];
  const errors: FieldError[] = [];
  if (listType === 'set') {
    const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
    const atomic = items.type === 'object' ? 'x-kubernetes-map-type' : 'x-kubernetes-list-type';
    const given = items[atomic];
    const comparable = items.type !== 'object' && items.type !== 'array';
    const fine = given === 'atomic' || (items.type === 'array' && given === undefined);
    if (!comparable && !fine) errors.push(invalid(`${path}.items.${atomic}`, given ?? null, detail));
  }
  if (items.nullable) {
    errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  }
  if (listType === 'set') return errors;
  for (const key of new Set(schema['x-kubernetes-list-map-keys'])) {
    const property = items.properties?.[key];
    if (!isJsonObject(property)) continue;
    const field = `${path}.items.properties[${key}]`;
    if (!items.required?.includes(key) && (property as JsonSchema).default === undefined) {
      errors.push(
        required(
          `${field}.default`,
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        ),
      );
    }
    if ((property as JsonSchema).nullable) {
      errors.push(
        forbidden(`${field}.nullable`, 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'),
      );
    }
  }
  return errors;
}
