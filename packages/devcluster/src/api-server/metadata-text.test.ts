import fc from 'fast-check';
import { expect, test } from 'vitest';
import { metadataText } from './metadata-text.js';

const word = fc.oneof(
  fc.constantFrom('spec', 'data', 'status', 'labels', '},"spec":{', '"}', '\\', 'metadata', 'é漢'),
  fc.string({ maxLength: 8 }),
);
const texts = fc.dictionary(word, word, { maxKeys: 4 });
const metadata = fc.record(
  {
    name: word,
    labels: texts,
    annotations: texts,
    ownerReferences: fc.array(fc.record({ kind: word, name: word }), { maxLength: 2 }),
    managedFields: fc.array(
      fc.record({
        manager: word,
        fieldsV1: fc.dictionary(fc.constantFrom('f:spec', 'f:data', '.'), texts),
        time: word,
      }),
      { maxLength: 2 },
    ),
    resourceVersion: word,
  },
  { requiredKeys: ['name'] },
);
const rest = fc.dictionary(
  fc.constantFrom('spec', 'data', 'status', 'labels', 'time', 'f:spec', 'subjects', 'a b'),
  fc.oneof(texts, word, fc.array(word)),
);

test('metadataText() is what writing the metadata gives, whatever stands in an object', () => {
  fc.assert(
    fc.property(metadata, rest, fc.boolean(), (meta, more, isUsual) => {
      const object = isUsual
        ? { apiVersion: 'v1', kind: 'Thing', metadata: meta, ...more }
        : { metadata: meta, ...more, apiVersion: 'v1', kind: 'Thing' };
      expect(metadataText({ object: object as never, json: JSON.stringify(object) })).toBe(JSON.stringify(meta));
    }),
    { numRuns: 500 },
  );
});

test('metadataText() cuts the text of a usual object instead of writing it anew', () => {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { b: 'c' } }, spec: {} };
  const json = JSON.stringify(object).replace('"c"', '"from the text"');
  expect(metadataText({ object, json })).toBe('{"name":"a","labels":{"b":"from the text"}}');
});
