import { fieldDescriptions } from './field-descriptions.js';
import { type Field, isStruct, type Message, type MessageTable } from './message-table.js';

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
  const properties: Json = {};
  if (message.typeMeta) {
    properties.apiVersion = { description: fieldDescriptions.apiVersion, type: 'string' };
    properties.kind = { description: fieldDescriptions.kind, type: 'string' };
  }
  for (const field of fields) properties[field.name] = propertyOf(table, message, field, refer);
  const kind = table.head.kinds[message.id];
  return {
    ...said,
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(message.atomic && { 'x-kubernetes-map-type': 'atomic' }),
    ...(kind && {
      'x-kubernetes-group-version-kind': [{ group: kind[0], version: kind[1], kind: kind[2] }],
    }),
  };
}

function propertyOf(table: MessageTable, owner: Message, field: Field, refer: Refer): Json {
  const { shape, facts } = field;
  const value = valueSchema(table, field, refer);
  const description = fieldDescriptions[`${owner.id}.${field.name}`] ?? fieldDescriptions[`*.${field.name}`];
  const common: Json = {
    ...(description !== undefined && { description }),
    ...(facts.default !== undefined
      ? { default: facts.default }
      : isStruct(field) && field.message?.encoding === undefined && { default: {} }),
  };
  if (shape === 'single') {
    if (value.$ref === undefined) return { ...value, ...common };
    return Object.keys(common).length === 0 ? value : { ...common, allOf: [value] };
  }
  if (shape === 'map') {
    return {
      ...common,
      type: 'object',
      additionalProperties: value,
      ...(facts.mapType !== undefined && { 'x-kubernetes-map-type': facts.mapType }),
    };
  }
  return {
    ...common,
    type: 'array',
    items: value,
    ...(facts.listType !== undefined && { 'x-kubernetes-list-type': facts.listType }),
    ...(facts.listMapKeys !== undefined && { 'x-kubernetes-list-map-keys': facts.listMapKeys }),
    ...(facts.patchMergeKey !== undefined && { 'x-kubernetes-patch-merge-key': facts.patchMergeKey }),
    ...(facts.patchStrategy !== undefined && { 'x-kubernetes-patch-strategy': facts.patchStrategy }),
  };
}

function valueSchema(table: MessageTable, { scalar, message, facts }: Field, refer: Refer): Json {
  if (message) return message.encoding === 'stringList' ? encodedForm(message) : refer(message);
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
