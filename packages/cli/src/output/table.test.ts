import { printable } from '@slipway/safe-yaml/printable';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paint, withColours } from './colour.js';
import { displayWidth } from './display-width.js';
import { renderRows, renderTable, type TableColumn } from './table.js';

test('renderTable() aligns columns, shows wide ones only when asked, and fills empty cells', () => {
  const rows = [
    { name: 'a-long-name', count: '1', note: 'x' },
    { name: 'b', count: '', note: 'two\nlines' },
  ];
  const columns = [
    { heading: 'NAME', cell: (row: (typeof rows)[0]) => row.name },
    { heading: 'COUNT', cell: (row: (typeof rows)[0]) => row.count },
    { heading: 'NOTE', cell: (row: (typeof rows)[0]) => row.note, wide: true },
  ];
  expect(renderTable(rows, columns)).toBe('NAME          COUNT\na-long-name   1\nb             <none>\n');
  expect(renderTable(rows, columns, { wide: true })).toBe(
    'NAME          COUNT    NOTE\na-long-name   1        x\nb             <none>   two lines\n',
  );
});

/** Columns that show each its part of a row: `name;left out first;prose`. */
const columns: TableColumn<string>[] = [
  { heading: 'NAME', cell: (row) => row.split(';')[0] ?? '' },
  { heading: 'LIGHT', weight: 0, cell: (row) => row.split(';')[1] ?? '' },
  { heading: 'MESSAGE', cell: (row) => row.split(';')[2] ?? '' },
];
const on = (width: number) => ({ screen: { columns: width, colours: false } });

test.each<[string, number, readonly string[], string]>([
  ['what fits', 30, ['日本;1;é'], 'NAME   LIGHT   MESSAGE\n日本   1       é\n'],
  [
    'prose, at blanks',
    40,
    ['n1;1;the node is larger than its hardware'],
    'NAME   LIGHT   MESSAGE\nn1     1       the node is larger than\n               its hardware\n',
  ],
  ['the lightest column', 24, ['n1;12345;twelve words'], 'NAME   MESSAGE\nn1     twelve words\n'],
  [
    'a name that is wider than the terminal, at a joint',
    20,
    ['registry.k8s.io/pause:3.10;1;x'],
    'NAME\nregistry.k8s.io/\npause:3.10\n',
  ],
])('renderTable() fits %s to a terminal', (_, width, rows, expected) => {
  expect(renderTable(rows, columns, on(width))).toBe(expected);
});

test('renderTable() colours states by their word, and nothing else', () => {
  const states: TableColumn<string>[] = [{ heading: 'ON', state: true, cell: (row) => row }];
  const table = renderTable(['On', 'Off (3 dangling)', 'Blocked', 'Alpha'], states, {
    screen: { columns: 80, colours: true },
  });
  expect(withColours(printable(table))).toBe(
    'ON\n\u001b[32mOn\u001b[39m\n\u001b[33mOff (3 dangling)\u001b[39m\n\u001b[31mBlocked\u001b[39m\nAlpha\n',
  );
  expect(renderTable(['On'], states, on(80))).toBe('ON\nOn\n');
});

test('withColours() colours nothing that paint() did not mark', () => {
  const forged = paint('x', 'red').replace(/[0-9a-f]{32}/g, (mark) => [...mark].reverse().join(''));
  expect(withColours(printable(`\u001b[31m${forged}`))).not.toContain('\u001b');
});

const cell = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', 'b', ' ', '/', '-', '日', '한', 'é', 'e\u0301', '👩‍🚀', '🎉', 'ｱ', '\u001b', '\n', '\u202e'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 120,
});
const anyTable = fc.record({
  rows: fc.array(fc.array(cell, { minLength: 6, maxLength: 6 }), { maxLength: 6 }),
  columns: fc.array(fc.record({ heading: cell, weight: fc.integer({ min: 0, max: 9 }) }), {
    minLength: 1,
    maxLength: 6,
  }),
  width: fc.integer({ min: 8, max: 160 }),
  indent: fc.integer({ min: 0, max: 2 }),
});
const withoutBlanks = (text: string) => text.replace(/\s+/g, '');

test('no line of any table is wider than the terminal, and every row keeps its name', () => {
  fc.assert(
    fc.property(anyTable, ({ rows, columns, width, indent }) => {
      const shown = columns.map((column, at) => ({ ...column, cell: (row: readonly string[]) => row[at] ?? '' }));
      const [, ...printed] = renderRows(rows, shown, { indent, ...on(width) });
      expect(printed).toHaveLength(rows.length);
      for (const text of printed) {
        for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }
      const names = renderRows(rows, shown.slice(0, 1), on(Number.POSITIVE_INFINITY)).slice(1);
      const named = rows.map((row, at) => {
        const onlyName = shown.map((column, each) => ({ ...column, cell: () => (each === 0 ? (row[0] ?? '') : '.') }));
        return [withoutBlanks(renderRows([row], onlyName, on(width))[1] ?? ''), withoutBlanks(names[at] ?? '')];
      });
      for (const [text, name] of named) expect(text?.replaceAll('.', '')).toBe(name?.replaceAll('.', ''));
    }),
  );
});
