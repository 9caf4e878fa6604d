import { expect, test } from 'vitest';
import { renderTable } from './table.js';

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
  expect(renderTable(rows, columns, true)).toBe(
    'NAME          COUNT    NOTE\na-long-name   1        x\nb             <none>   two lines\n',
  );
});
