import type { Field, Message } from './message-table.js';
import type { FieldSchema } from './object-schema.js';

const scalar: FieldSchema = { type: 'scalar', field: () => undefined };
const text: FieldSchema = { ...scalar, scalar: 'string' };
const number: FieldSchema = { ...scalar, scalar: 'numeric' };
const truth: FieldSchema = { ...scalar, scalar: 'boolean' };
/** What is described nowhere merges field by field, except where it is opaque. */
const any: FieldSchema = { type: 'any', field: () => any };
const opaque: FieldSchema = { type: 'any', field: () => opaque, mapType: 'atomic' };

const walks = new WeakMap<Message, FieldSchema>();

/** Reads from the table of a message how its fields merge. */
export function mergeFacts(message: Message): FieldSchema {
  const known = walks.get(message);
  if (known) return known;
  const fields = new Map<string, FieldSchema>();
  const walk: FieldSchema = {
    type: 'object',
    ...(message.atomic && { mapType: 'atomic' as const }),
    field(name) {
      const seen = fields.get(name);
      if (seen) return seen;
      const field = message.byName.get(name);
      if (!field) return message.typeMeta && (name === 'apiVersion' || name === 'kind') ? text : undefined;
      const facts = factsOf(field);
      fields.set(name, facts);
      return facts;
    },
  };
  walks.set(message, walk);
  return walk;
}

function factsOf(field: Field): FieldSchema {
  const { shape, facts } = field;
  const single = singleOf(field);
  const merge = {
    ...(facts.patchStrategy !== undefined && {
      patchStrategy: facts.patchStrategy.split(',') as ('merge' | 'replace' | 'retainKeys')[],
    }),
    ...(facts.patchMergeKey !== undefined && { patchMergeKey: facts.patchMergeKey }),
    ...(facts.listType !== undefined && { listType: facts.listType }),
    ...(facts.listMapKeys !== undefined && { listMapKeys: facts.listMapKeys }),
    ...(facts.mapType !== undefined && { mapType: facts.mapType }),
    ...defaultOf(field),
  };
  if (shape === 'list') return { type: 'list', items: single, field: () => undefined, ...merge };
  if (shape === 'map') return { type: 'map', field: () => single, ...merge };
  if (single.type === 'list') return { ...single, ...merge };
  return Object.keys(merge).length === 0 ? single : { ...single, ...merge };
}

/** In lists of built-in kinds, elements without a key have an empty one, or 0. */
function defaultOf({ facts, message, scalar: name, shape }: Field): { readonly default?: unknown } {
  if (facts.default !== undefined) return { default: facts.default };
  if (shape === 'list' || shape === 'map' || message || name === 'bool') return {};
  return { default: name === 'string' || name === 'bytes' ? '' : 0 };
}

function singleOf({ message, scalar: name }: Field): FieldSchema {
  if (!message) return name === 'bool' ? truth : name === 'string' || name === 'bytes' ? text : number;
  switch (message.encoding) {
    case undefined:
      return mergeFacts(message);
    case 'stringList':
      return { type: 'list', items: text, field: () => undefined, listType: 'atomic' };
    case 'time':
    case 'microTime':
    case 'quantity':
    case 'intOrString':
      return scalar;
    case 'duration':
      return text;
    case 'rawExtension':
      return opaque;
    default:
      return any;
  }
}
