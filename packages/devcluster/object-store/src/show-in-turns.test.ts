import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ShownWrite, showInTurns } from './show-in-turns.js';

const large = 300 * 1024;

test('every write is shown once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(0, 100, large)), async (sizes) => {
      const writes = sizes.map(aWrite);
      expect((await shown(writes)).flat()).toEqual(writes);
    }),
  );
});

test('writes are shown four in a turn', async () => {
  expect(await counts(Array.from({ length: 10 }, () => aWrite(100)))).toEqual([4, 4, 2]);
});

test('a large write has a turn of its own', async () => {
  expect(await counts([100, large, 100, 100].map(aWrite))).toEqual([1, 1, 2]);
});

function aWrite(size: number): ShownWrite {
  return { entry: { size } };
}

async function counts(writes: readonly ShownWrite[]): Promise<number[]> {
  return (await shown(writes)).map(({ length }) => length);
}

async function shown(writes: readonly ShownWrite[]): Promise<(readonly ShownWrite[])[]> {
  const turns: (readonly ShownWrite[])[] = [];
  await showInTurns(writes, (some) => turns.push(some));
  return turns;
}
