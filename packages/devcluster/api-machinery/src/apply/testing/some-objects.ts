import fc from 'fast-check';
import { customMergeFacts } from '../../schema/custom-merge-facts.js';
import type { JsonSchema } from '../../schema/json-schema.js';
import { noFields } from '../field-set.js';
import type { TypedKind } from '../typed-kind.js';

const text = { type: 'string' };

/** A kind with a list of every type, maps of both, and a place where anything goes. */
export const someSchema: JsonSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: text,
        replicas: { type: 'integer' },
        nested: { type: 'object', properties: { a: text, b: text } },
        labels: { type: 'object', additionalProperties: text },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text } },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        steps: { type: 'array', items: text },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, note: text },
          },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
};

export const someKind: TypedKind = {
  apiVersion: 'example.com/v1',
  type: customMergeFacts(someSchema),
  ignored: noFields,
  at: () => undefined,
};

/** An object of the kind that says nothing yet. */
export const nothing = { apiVersion: someKind.apiVersion, kind: 'Thing' };

const word = fc.constantFrom('x', 'y', 'z');
const number = fc.integer({ min: 0, max: 3 });
const words = fc.uniqueArray(word, { maxLength: 3 });
const named = fc.dictionary(word, word, { maxKeys: 3 });
const port = fc.record(
  { port: number, protocol: fc.constantFrom('TCP', 'UDP'), note: word },
  { requiredKeys: ['port'] },
);

const spec = fc.record(
  {
    size: word,
    replicas: number,
    nested: fc.record({ a: word, b: word }, { requiredKeys: [] }),
    labels: named,
    whole: fc.record({ a: word }, { requiredKeys: [] }),
    tags: words,
    steps: fc.array(word, { maxLength: 3 }),
    ports: fc.uniqueArray(port, { maxLength: 4, selector: (one) => `${one.port} ${one.protocol ?? 'TCP'}` }),
    free: fc.dictionary(word, fc.oneof(word, number, named, words), { maxKeys: 2 }),
  },
  { requiredKeys: [] },
);

/** A configuration that may be applied to it. */
export const someConfig = spec.map((wanted) => ({ ...nothing, spec: wanted }));

/** Two configurations that speak of different things: every field, key and element of one is in one of the two. */
export const twoParts = fc.tuple(someConfig, fc.infiniteStream(fc.boolean())).map(([config, coins]) => {
  const toss = () => coins.next().value;
  const parts: [Parts, Parts] = [{}, {}];
  for (const [name, value] of Object.entries(config.spec)) {
    if (name === 'labels') {
      for (const [key, label] of Object.entries(Object(value))) {
        const part = parts[toss() ? 0 : 1];
        part.labels = { ...part.labels, [key]: label };
      }
    } else if (name === 'tags' || name === 'ports') {
      for (const item of value as unknown[]) {
        const part = parts[toss() ? 0 : 1];
        part[name] = [...(part[name] ?? []), item];
      }
    } else parts[toss() ? 0 : 1][name] = value;
  }
  return parts.map((part) => ({ ...nothing, spec: part }));
});

interface Parts {
  [name: string]: unknown;
  labels?: Record<string, unknown>;
  tags?: unknown[];
  ports?: unknown[];
}
