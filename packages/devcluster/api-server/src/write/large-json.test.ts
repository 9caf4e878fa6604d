import { JsonError } from '@slipway/api-machinery/schema/json-scanner';
import { expect, test } from 'vitest';
import { jsonReadyFor, readJsonBody } from './large-json.js';

const large = (text: string) => Buffer.from(text.padEnd(200_000));
const posted = (bytes: Uint8Array, type = 'application/json') => ({
  method: 'POST',
  headers: { 'content-type': type },
  body: { bytes },
});

test('a large JSON body is read in a turn before it is used, and read again for who asks again', async () => {
  const bytes = large('{"a":{"b":1}}');
  let isNextTurn = false;
  setImmediate(() => {
    isNextTurn = true;
  });
  await jsonReadyFor(posted(bytes));
  expect(isNextTurn).toBe(true);
  const [first, again] = [readJsonBody(bytes), readJsonBody(bytes)];
  expect(again).toEqual({ value: { a: { b: 1 } }, duplicates: [], parts: 2 });
  expect(first).toEqual(again);
  expect(first.value).not.toBe(again.value);
});

test('what is wrong with a large JSON body is told when it is used', async () => {
  const bytes = large('{"a":');
  await jsonReadyFor(posted(bytes));
  for (let time = 0; time < 2; time++) expect(() => readJsonBody(bytes)).toThrow(JsonError);
});

// what | request
const others: [string, Parameters<typeof jsonReadyFor>[0]][] = [
  ['a small body', posted(Buffer.from('{}'))],
  ['another media type', posted(large('a: b'), 'application/yaml')],
  ['no body', { method: 'POST', headers: {} }],
  ['a body that nobody reads', { ...posted(large('{}')), method: 'GET' }],
];
test.each(others)('there is nothing to wait for with %s', (_, request) => {
  expect(jsonReadyFor(request)).toBeUndefined();
});
