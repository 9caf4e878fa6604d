import { expect, test } from 'vitest';
import { loadPart } from './load-part.js';

const none = () => Promise.reject(new Error('imported'));

test('loadPart() reads what require() can load', async () => {
  expect(await loadPart(import.meta.url, 'node:path', none)).toHaveProperty('join');
});

test('loadPart() imports what require() cannot load: sources are not built', async () => {
  const { loadPart: same } = await loadPart(import.meta.url, './load-part.js', () => import('./load-part.js'));
  expect(same).toBe(loadPart);
});

test('loadPart() fails as import() does when there is no such part', async () => {
  await expect(loadPart(import.meta.url, './no-such-part.js', none)).rejects.toThrow('imported');
});
