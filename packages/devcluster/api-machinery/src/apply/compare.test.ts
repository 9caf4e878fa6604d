import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runToCompletion } from '../event-loop/resumable.js';
import { compare, comparing } from './compare.js';
import { intersection, isEmpty, union } from './field-set.js';
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

test('compare() finds the same in both directions, with added and removed exchanged, and no field in two sets', () => {
  fc.assert(
    fc.property(fc.oneof(object, fc.constant(nothing), fc.constant(undefined)), object, (before, after) => {
      const { added, modified, removed } = compare(type, before, after);
      expect(compare(type, after, before)).toEqual({ added: removed, modified, removed: added });
      expect(isEmpty(intersection(modified, union(added, removed)))).toBe(true);
      expect(compare(type, after, structuredClone(after))).toEqual({ added: {}, modified: {}, removed: {} });
    }),
    { numRuns: 50 },
  );
});

test('comparing() yields after each of very many fields, wherever they are', () => {
  const large = grown(nothing, 1_500, 7);
  expect([...comparing(type, nothing, large)].length).toBeGreaterThan(3_000);
});

test('comparing() of few fields does not yield, and a list without keys is rejected however long it is', () => {
  const few = grown(nothing, 100, 7);
  expect(comparing(type, nothing, few).next()).toEqual({ done: true, value: compare(type, nothing, few) });
  const wrong = (count: number) => ({ spec: { ports: many(count, () => 'no port') } });
  expect(() => comparing(type, nothing, wrong(1)).next()).toThrow(ShapeError);
  for (const after of [wrong(1), wrong(3_000)]) {
    expect(() => runToCompletion(comparing(type, nothing, after))).toThrow(ShapeError);
  }
});
