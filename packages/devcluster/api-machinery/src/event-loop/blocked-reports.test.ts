import fc from 'fast-check';
import { expect, test } from 'vitest';
import { look, newWatch } from './blocked-reports.js';

function reportsOf(beats: readonly number[]): string[] {
  let watch = newWatch;
  return beats.flatMap((beat) => {
    const seen = look(watch, beat);
    watch = seen.watch;
    return seen.finding ? [`${seen.finding.kind} ${seen.finding.looks}`] : [];
  });
}

test('look() reports a blocked event loop after 4, 40 and 400 looks, and once when it runs again', () => {
  const blocked = new Array<number>(401).fill(7);
  expect(reportsOf([...blocked, 8, 9])).toEqual(['blocked 4', 'blocked 40', 'blocked 400', 'running 400']);
});

test('look() reports nothing while the event loop runs at least every fourth look', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 50 }), (lengths) => {
      expect(reportsOf(lengths.flatMap((length, beat) => new Array<number>(length).fill(beat)))).toEqual([]);
    }),
  );
});
