import { printableLine } from './printable.js';

/** A column of a listing: its heading and what each row shows there. */
export interface TableColumn<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
  /** Shown only with `-o wide`. */
  readonly wide?: boolean;
}

/** Left-aligned columns three spaces apart, as kubectl prints them; empty cells show `<none>`. */
export function renderTable<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[], wide = false): string {
  const shown = columns.filter((column) => wide || !column.wide);
  const lines = [
    shown.map(({ heading }) => heading),
    ...rows.map((row) => shown.map(({ cell }) => printableLine(cell(row)) || '<none>')),
  ];
  const widths = shown.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, at) => (at === line.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('   '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
