import fc from 'fast-check';
import { expect, test } from 'vitest';
import { metricText } from './exposition.js';
import { Histogram } from './histogram.js';

test('a bucket holds every value up to its bound, whatever comes', () => {
  const bounds = [0.1, 1, 10];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(0, 0.1, 0.5, 1, 1.5, 10, 99)), (values) => {
      const histogram = new Histogram(bounds);
      for (const value of values) histogram.observe(value);
      const samples = [...histogram.samples({})];
      const counted = samples.filter(({ suffix }) => suffix === '_bucket').map(({ value }) => value);
      expect(counted).toEqual([
        ...bounds.map((bound) => values.filter((value) => value <= bound).length),
        values.length,
      ]);
    }),
  );
});

test('metricText() escapes what labels may hold, and leaves out what has no samples', () => {
  expect(metricText('a', 'gauge', 'What it is.', [{ labels: { b: 'x"\\\n' }, value: 1 }])).toBe(
    '# HELP a What it is.\n# TYPE a gauge\na{b="x\\"\\\\\\n"} 1\n',
  );
  expect(metricText('a', 'gauge', 'What it is.', [])).toBe('');
});
