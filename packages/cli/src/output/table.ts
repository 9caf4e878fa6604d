import { printableLine } from '@slipway/safe-yaml/printable';
import { asCalled } from './called-as.js';
import { type Colour, colourOf, paint } from './colour.js';
import { displayWidth, foldLines } from './display-width.js';
import { fitColumns, gap } from './fit-columns.js';
import { type Screen, screenOf } from './screen.js';

/** A column of a listing: its heading and what each row shows there. The first column names the row. */
export interface TableColumn<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
  /** Shown only with `-o wide`. */
  readonly wide?: boolean;
  /** How long a table that is wider than the terminal keeps the column: the lightest is left out first. Default 1. */
  readonly weight?: number;
  /** Whether it shows a state, which is coloured by its word. */
  readonly state?: boolean;
}

export interface TableOptions {
  /** Shows all columns, however wide the terminal is. */
  readonly wide?: boolean;
  /** Blanks before each line. Default 0. */
  readonly indent?: number;
  readonly screen?: Screen;
}

/**
 * Left-aligned columns three spaces apart, as kubectl prints them; empty cells show `<none>`. On a terminal cells are folded
 * and columns left out, so that no line is wider than it.
 */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  options: TableOptions = {},
): string {
  return [...renderRows(rows, columns, options)].map((line) => `${line}\n`).join('');
}

/** The heading and then each row of a table, which is several lines where a cell is folded. */
export function renderRows<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  { wide = false, indent = 0, screen = screenOf(process) }: TableOptions = {},
): readonly string[] {
  const shown = columns.filter((column) => wide || !column.wide);
  const headings = shown.map(({ heading }) => printableLine(heading));
  const cells = rows.map((row) => shown.map(({ cell }) => asCalled(printableLine(cell(row))) || '<none>'));
  const room = wide || screen.columns === undefined ? Number.POSITIVE_INFINITY : screen.columns - indent;
  const widths = fitColumns(
    shown.map(({ weight = 1 }, at) => ({
      weight,
      heading: displayWidth(headings[at] ?? ''),
      width: Math.max(...[headings, ...cells].map((line) => displayWidth(line[at] ?? ''))),
    })),
    room,
  );
  const inLines = (texts: readonly string[], isHeading: boolean): string => {
    const parts = texts.flatMap((text, at) => {
      const width = widths[at];
      if (width === undefined) return [];
      const colour = screen.colours && !isHeading && shown[at]?.state ? colourOf(text) : undefined;
      return [{ width, colour, lines: foldLines(text, width) }];
    });
    const height = Math.max(...parts.map(({ lines }) => lines.length));
    const line = (at: number) => parts.map(({ lines, ...part }) => padded(lines[at] ?? '', part));
    return Array.from({ length: height }, (_, at) => ' '.repeat(indent) + line(at).join(between).trimEnd()).join('\n');
  };
  return [inLines(headings, true), ...cells.map((row) => inLines(row, false))];
}

const between = ' '.repeat(gap);

function padded(
  text: string,
  { width, colour }: { readonly width: number; readonly colour: Colour | undefined },
): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return `${colour && text !== '' ? paint(text, colour) : text}${blanks}`;
}
