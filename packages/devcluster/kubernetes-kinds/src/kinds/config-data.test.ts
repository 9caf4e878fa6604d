import { expect, test } from 'vitest';
import { bytesOf, validateKeys } from './config-data.js';

const data = Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [`k${at}`, 'v']));

test.each([
  ['validateKeys()', () => validateKeys(data, 'data')],
  ['bytesOf()', () => bytesOf(data, 'utf8')],
])('%s of 90,000 keys yields in between', (_, work) => {
  expect([...work()].length).toBe(87);
});
