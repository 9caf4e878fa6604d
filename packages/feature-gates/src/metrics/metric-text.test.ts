import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Counter, Histogram, LabelledHistogram } from './instruments.js';
import { declaredMetricText, metricText, type Sample } from './metric-text.js';

test('metricText() escapes label values and help, and prints nothing without samples', () => {
  expect(metricText('a', 'gauge', 'A \\ and\na line.', [{ labels: { b: 'x"\\\n' }, value: 1 }])).toBe(
    '# HELP a A \\\\ and\\na line.\n# TYPE a gauge\na{b="x\\"\\\\\\n"} 1\n',
  );
  expect(metricText('a', 'gauge', 'Help.', [])).toBe('');
  expect(declaredMetricText('a', 'gauge', 'Help.', [])).toBe('# HELP a Help.\n# TYPE a gauge\n');
});

test.each([
  ['1a', 'gauge', {}, 'invalid metric name "1a"'],
  ['a b', 'gauge', {}, 'invalid metric name "a b"'],
  ['', 'gauge', {}, 'invalid metric name ""'],
  ['a', 'counter', {}, 'counters end in _total'],
  ['a_total', 'gauge', {}, 'only counters do'],
  ['a_total', 'histogram', {}, 'only counters do'],
  ['a', 'gauge', { 'b-c': '' }, 'invalid label name "b-c"'],
  ['a', 'gauge', { __name__: '' }, 'invalid label name "__name__"'],
] as const)('metricText() rejects %s as a %s with labels %j', (name, type, labels, message) => {
  expect(() => metricText(name, type, 'Help.', [{ labels, value: 1 }])).toThrow(message);
});

const labelName = fc.stringMatching(/^[a-z_]\w{0,6}$/).filter((name) => !name.startsWith('__'));
const sample: fc.Arbitrary<Required<Omit<Sample, 'suffix'>>> = fc.record({
  labels: fc.dictionary(labelName, fc.string({ unit: 'binary' })),
  value: fc.oneof(fc.double(), fc.integer()),
});

test('a reader of the format gets back every label and value, whatever they hold', () => {
  fc.assert(
    fc.property(fc.array(sample, { minLength: 1 }), fc.string({ unit: 'binary' }), (samples, help) => {
      const lines = metricText('m', 'gauge', help, samples).split('\n');
      expect([lines[0]?.startsWith('# HELP m '), lines[1], lines.at(-1)]).toEqual([true, '# TYPE m gauge', '']);
      expect(lines.slice(2, -1).map(readSample)).toEqual(
        samples.map(({ labels, value }) => ({ labels: { ...labels }, value: value === 0 ? 0 : value })),
      );
    }),
  );
});

test('a bucket holds every value up to its bound, whatever was observed', () => {
  const bounds = [0.1, 1, 10];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(0, 0.1, 0.5, 1, 1.5, 10, 99)), (values) => {
      const histogram = new Histogram(bounds);
      for (const value of values) histogram.observe(value);
      const buckets = [...histogram.samples()].filter(({ suffix }) => suffix === '_bucket');
      expect(buckets.map(({ value }) => value)).toEqual([
        ...bounds.map((bound) => values.filter((value) => value <= bound).length),
        values.length,
      ]);
    }),
  );
});

test('Counter and LabelledHistogram keep one series for each combination of labels', () => {
  const counter = new Counter();
  for (const [by, a] of [
    [0, 'x'],
    [2, 'x'],
    [1, 'y'],
  ] as const)
    counter.add({ a }, by);
  expect(metricText('n_total', 'counter', 'Help.', counter.samples())).toContain(
    'n_total{a="x"} 2\nn_total{a="y"} 1\n',
  );

  const times = new LabelledHistogram([1]);
  for (const [a, seconds] of [
    ['x', 0.5],
    ['x', 2],
    ['y', 1],
  ] as const)
    times.observe({ a }, seconds);
  const page = metricText('t_seconds', 'histogram', 'Help.', times.samples());
  expect(page).toContain(
    't_seconds_bucket{a="x",le="1"} 1\nt_seconds_bucket{a="x",le="+Inf"} 2\nt_seconds_sum{a="x"} 2.5',
  );
  expect(page).toContain('t_seconds_count{a="y"} 1\n');
});

/** Reads a line as the format's grammar has it, independently of the writer. */
function readSample(line: string): { labels: Record<string, string>; value: number } {
  const [, inner = '', text = ''] = /^m(?:\{(.*)\})? (\S+)$/s.exec(line) ?? [];
  const labels: Record<string, string> = Object.create(null);
  for (const [, name = '', value = ''] of inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/gs))
    labels[name] = value.replace(/\\(.)/gs, (_, sign) => (sign === 'n' ? '\n' : sign));
  const value = text === '+Inf' ? Number.POSITIVE_INFINITY : text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
  return { labels: { ...labels }, value };
}
