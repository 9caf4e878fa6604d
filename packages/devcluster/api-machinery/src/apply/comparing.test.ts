import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atOnce } from '../event-loop/work.js';
import { compare, comparisonIfFew } from './compare.js';
import { comparing } from './comparing.js';
import { ShapeError } from './shape-error.js';
import { nothing, someConfig, someKind } from './testing/some-objects.js';

const { type } = someKind;
const many = <Part>(count: number, part: (index: number) => Part) => Array.from({ length: count }, (_, at) => part(at));

/** An object with as many labels and ports more; every port that can be divided by `twice` is there twice. */
function grown(object: object, count: number, twice: number): object {
  const { spec = {} } = object as { spec?: { ports?: unknown[]; labels?: object; free?: object } };
  const ports = many(count, (port) => ({ port: port + 10, note: 'x' }));
  const again = ports.filter(({ port }) => port % twice === 0);
  const labels = Object.fromEntries(many(count, (index) => [`l${index}`, 'x']));
  const free = { list: many(count, (index) => index), map: labels };
  const more = { ports: [...(spec.ports ?? []), ...ports, ...again], labels: { ...spec.labels, ...labels } };
  return { ...object, spec: { ...spec, ...more, free: { ...spec.free, ...free } } };
}

const object = fc
  .tuple(someConfig, fc.constantFrom(0, 900, 1_100), fc.constantFrom(7, 1_000_000))
  .map(([config, count, twice]) => grown(config as object, count, twice));

test('comparing() finds what compare() does', () => {
  fc.assert(
    fc.property(fc.oneof(object, fc.constant(nothing), fc.constant(undefined)), object, (before, after) => {
      expect(atOnce(comparing(type, before, after))).toEqual(compare(type, before, after));
    }),
    { numRuns: 50 },
  );
});

test('comparing() rests after each of very many places, wherever they are', () => {
  const large = grown(nothing, 1_500, 7);
  expect(comparisonIfFew(type, nothing, large)).toBeUndefined();
  expect([...comparing(type, nothing, large)].length).toBeGreaterThan(3_000);
});

test('what has few places is compared at once, and a list that makes no sense is refused either way', () => {
  const few = grown(nothing, 100, 7);
  expect(comparisonIfFew(type, nothing, few)).toEqual(compare(type, nothing, few));
  const wrong = (count: number) => ({ spec: { ports: many(count, () => 'no port') } });
  expect(() => comparisonIfFew(type, nothing, wrong(1))).toThrow(ShapeError);
  for (const after of [wrong(1), wrong(3_000)]) {
    expect(() => atOnce(comparing(type, nothing, after))).toThrow(ShapeError);
  }
});
