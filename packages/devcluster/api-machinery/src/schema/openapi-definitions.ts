import { fieldDescriptions } from './field-descriptions.js';
import { type Field, isStruct, type Message, type MessageTable } from './message-table.js';
import { optionsVersions } from './options-versions.js';

type Json = Record<string, unknown>;

/** Name of a message in OpenAPI documents: `io.k8s.api.apps.v1.Deployment`. */
export function definitionName(table: MessageTable, message: Message): string {
  const dot = message.id.lastIndexOf('.');
  const proto = table.head.packages[message.id.slice(0, dot)] ?? '';
  return `${proto.replace('k8s.io.', 'io.k8s.').replaceAll('_', '-')}${message.id.slice(dot)}`;
}

/** The message and everything it refers to as OpenAPI v3 schema objects, its own first. */
export function openapiDefinitions(table: MessageTable, root: Message): Record<string, unknown> {
  const definitions: Record<string, unknown> = {};
  const waiting = [root];
  const seen = new Set(waiting);
  for (const message of waiting) {
    const refer = (to: Message) => {
      if (!seen.has(to)) waiting.push(to);
      seen.add(to);
      return { $ref: `#/components/schemas/${definitionName(table, to)}` };
    };
    definitions[definitionName(table, message)] = definitionOf(table, message, refer);
  }
  return definitions;
}

type Refer = (to: Message) => Json;

function definitionOf(table: MessageTable, message: Message, refer: Refer): Json {
  const description = fieldDescriptions[message.id];
  const said = description === undefined ? {} : { description };
  if (message.encoding !== undefined) return { ...said, ...encodedForm(message) };

  const fields = [...message.byName.values()];
  const required = fields.filter((field) => field.required).map((field) => field.name);
  // Where it is required at all, Go has this field first, whatever its number.
  required.sort((a, b) => Number(b === 'apiVersion') - Number(a === 'apiVersion'));
  const properties: Json = {};
  if (message.typeMeta) {
    properties.apiVersion = { description: fieldDescriptions.apiVersion, type: 'string' };
    properties.kind = { description: fieldDescriptions.kind, type: 'string' };
  }
  for (const field of fields) properties[field.name] = propertyOf(table, message, field, refer);
  const kinds = kindsOf(table, message);
  return {
    ...said,
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(message.atomic && { 'x-kubernetes-map-type': 'atomic' }),
    ...(kinds.length > 0 && { 'x-kubernetes-group-version-kind': kinds }),
  };
}

function kindsOf(table: MessageTable, { id, name }: Message): Json[] {
  if (id === 'meta.v1.DeleteOptions') return optionsVersions.map((groupVersion) => ({ ...groupVersion, kind: name }));
  const [group, version, kind] = table.head.kinds[id] ?? [];
  return kind === undefined ? [] : [{ group, version, kind }];
}

function propertyOf(table: MessageTable, owner: Message, field: Field, refer: Refer): Json {
  const { shape, facts } = field;
  const value = valueSchema(table, field, refer);
  const description = fieldDescriptions[`${owner.id}.${field.name}`] ?? fieldDescriptions[`*.${field.name}`];
  const common: Json = {
    ...(description !== undefined && { description }),
    ...(facts.default === undefined ? zeroOf(field) : { default: facts.default }),
  };
  if (shape === 'single') {
    if (value.$ref === undefined) return { ...value, ...common };
    const beside = { ...common, ...merged(facts) };
    return Object.keys(beside).length === 0 ? value : { ...beside, allOf: [value] };
  }
  if (shape === 'map') {
    return {
      ...common,
      type: 'object',
      additionalProperties: elementOf(table, field, value),
      ...merged(facts),
    };
  }
  return {
    ...common,
    type: 'array',
    items: elementOf(table, field, value),
    ...(facts.listType !== undefined && { 'x-kubernetes-list-type': facts.listType }),
    ...(facts.listMapKeys !== undefined && { 'x-kubernetes-list-map-keys': facts.listMapKeys }),
    ...merged(facts),
  };
}

/** How patches merge a field. */
function merged({ mapType, patchMergeKey, patchStrategy }: Field['facts']): Json {
  return {
    ...(mapType !== undefined && { 'x-kubernetes-map-type': mapType }),
    ...(patchMergeKey !== undefined && { 'x-kubernetes-patch-merge-key': patchMergeKey }),
    ...(patchStrategy !== undefined && { 'x-kubernetes-patch-strategy': patchStrategy }),
  };
}

/** What Go has where nothing was given: a field that is always written says so. */
function zeroOf(field: Field): Json {
  if (field.shape !== 'single' || field.pointer) return {};
  if (field.message) return isStruct(field) && field.message.encoding === undefined ? { default: {} } : {};
  return field.omitempty ? {} : zeroOfScalar(field);
}

/** The same of an element of a list or map, which is never left out; from 1.37 on it is not said. */
function elementOf({ minor }: MessageTable, field: Field, value: Json): Json {
  const { message } = field;
  if (minor >= 37) return value;
  if (!message) return { ...value, ...zeroOfScalar(field) };
  return message.encoding === undefined ? { default: {}, allOf: [value] } : value;
}

function zeroOfScalar({ scalar }: Field): Json {
  if (scalar === 'bytes') return {};
  return { default: scalar === 'string' ? '' : scalar === 'bool' ? false : 0 };
}

function valueSchema(table: MessageTable, { scalar, message, facts }: Field, refer: Refer): Json {
  if (message?.encoding === 'stringList')
    return { type: 'array', items: { type: 'string', ...(table.minor < 37 && { default: '' }) } };
  if (message) return refer(message);
  switch (scalar) {
    case 'bool':
      return { type: 'boolean' };
    case 'int32':
    case 'int64':
      return { type: 'integer', format: scalar };
    case 'double':
      return { type: 'number', format: 'double' };
    case 'bytes':
      return { type: 'string', format: 'byte' };
    default: {
      const values = facts.enum === undefined ? undefined : table.head.enums[facts.enum];
      return { type: 'string', ...(values && { enum: [...values].sort() }) };
    }
  }
}

function encodedForm({ encoding }: Message): Json {
  switch (encoding) {
    case 'time':
    case 'microTime':
      return { type: 'string', format: 'date-time' };
    case 'duration':
      return { type: 'string' };
    case 'quantity':
      return { oneOf: [{ type: 'string' }, { type: 'number' }] };
    case 'intOrString':
      return { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] };
    case 'stringList':
      return { type: 'array', items: { type: 'string' } };
    case 'fieldsV1':
    case 'rawExtension':
      return { type: 'object' };
    default:
      return {};
  }
}
