import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prettyJson } from './pretty-json.js';

test('prettyJson() writes what JSON.stringify() writes', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
      const parsed: unknown = JSON.parse(JSON.stringify(value));
      expect(runToCompletion(prettyJson(parsed))).toBe(JSON.stringify(parsed, null, 2));
    }),
  );
});

test('prettyJson() yields for each element of a list', () => {
  expect([...prettyJson({ items: Array.from({ length: 100 }, () => ({})) })]).toHaveLength(100);
});
