import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldPathText, inRemovalOrder, parseFieldPath, placesOf, pointerOf, valueAt } from './field-path.js';

const object = {
  metadata: { annotations: { 'a.b/c': 'x', plain: 'y' } },
  spec: {
    fast: null,
    items: [{ name: 'a', use: 1 }, { name: 'b' }, { name: 'a', use: 2, deep: [{ use: 3 }] }],
  },
};

// path | pointers it leads to
const cases: [string, string][] = [
  ['spec.items', '/spec/items'],
  ['spec.items[*].use', '/spec/items/0/use /spec/items/2/use'],
  ['spec.items[name=b]', '/spec/items/1'],
  ['spec.items[name=a].use', '/spec/items/0/use /spec/items/2/use'],
  ['spec.items[*].deep[*].use', '/spec/items/2/deep/0/use'],
  ['metadata.annotations["a.b/c"]', '/metadata/annotations/a.b~1c'],
  ['metadata.annotations["gone/x"]', ''],
  // Present with null is present: the next reader would see it.
  ['spec.fast', '/spec/fast'],
  ['spec.items.use', ''],
  ['spec[*]', ''],
  ['spec.toString', ''],
];
test.each(cases)('placesOf(%s)', (path, pointers) => {
  const places = placesOf(parseFieldPath(path), object);
  expect(places.map(pointerOf).join(' ')).toBe(pointers);
  expect(fieldPathText(parseFieldPath(path))).toBe(path);
});

test.each([
  ['', 1],
  ['.a', 1],
  ['a.', 3],
  ['a b', 2],
  ['a[]', 2],
  ['a[b]', 2],
  ["a['b']", 2],
  ['a["b]', 2],
  ['[*].a', 1],
  ['a..b', 3],
  ['a[0]', 2],
])('parseFieldPath(%j) says that character %i is wrong', (path, at) => {
  expect(() => parseFieldPath(path)).toThrow(`wrong at character ${at}`);
});

test('inRemovalOrder() removes exactly the places found, whatever the lists hold', () => {
  const list = fc.array(fc.record({ use: fc.option(fc.integer(), { nil: undefined }), keep: fc.integer() }));
  const path = parseFieldPath('lists[*].items[*]');
  fc.assert(
    fc.property(fc.array(list), (lists) => {
      const used = { lists: lists.map((items) => ({ items: items.filter(({ use }) => use !== undefined) })) };
      for (const place of inRemovalOrder(placesOf(path, used))) {
        (valueAt(place.slice(0, -1), used) as unknown[]).splice(place.at(-1) as number, 1);
      }
      expect(used.lists.flatMap(({ items }) => items)).toEqual([]);
    }),
  );
});
