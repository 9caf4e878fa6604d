import type { KubeObject } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOfPiece } from '../request/pieces.js';
import { metadataPiece } from './metadata-text.js';

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

test('metadataPiece() is what writing the metadata gives, whatever stands in an object', () => {
  fc.assert(
    fc.property(metadata, rest, fc.boolean(), (meta, more, isUsual) => {
      const object = isUsual
        ? { apiVersion: 'v1', kind: 'Thing', metadata: meta, ...more }
        : { metadata: meta, ...more, apiVersion: 'v1', kind: 'Thing' };
      for (const served of inBothForms(object, JSON.stringify(object))) {
        const piece = metadataPiece(served);
        expect([textOfPiece(piece), textOfPiece(piece)]).toEqual([JSON.stringify(meta), JSON.stringify(meta)]);
      }
    }),
    { numRuns: 500 },
  );
});

test('metadataPiece() cuts the text of a usual object instead of writing it anew', () => {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { b: 'c' } }, spec: {} };
  const json = JSON.stringify(object).replace('"c"', '"from the text"');
  for (const served of inBothForms(object, json)) {
    expect(textOfPiece(metadataPiece(served))).toBe('{"name":"a","labels":{"b":"from the text"}}');
  }
});

/** A document whose text is a string, and one whose text is among others in UTF-8. */
function inBothForms(parsed: unknown, json: string) {
  const object = parsed as KubeObject;
  const [before, text, behind] = ['{"a":1},"spec":', json, '},"spec":{}'].map((part) => Buffer.from(part));
  const start = before?.length ?? 0;
  const kept = { bytes: Buffer.concat([before, text, behind] as Buffer[]), start, end: start + (text?.length ?? 0) };
  return [
    { object, json },
    { object, json, size: json.length, encoded: () => kept },
    { object, json, size: json.length, encoded: () => json },
  ];
}
