/** Blanks between two columns. */
export const gap = 3;

/** A column before it is fitted: the width of its heading and of its widest cell. */
export interface MeasuredColumn {
  readonly width: number;
  readonly heading: number;
  readonly weight: number;
}

/** A column is left out before a cell of at most this width is wrapped. Names are longer, and are never left out. */
const minFolded = 20;
const minFoldedName = 40;

/**
 * Decides how wide each column is in a table of at most `room` columns of a terminal; undefined for those left out.
 * Wide columns are folded first; where that is not enough, the lightest is left out, of equals the last. The first one
 * always stays.
 */
export function fitColumns(columns: readonly MeasuredColumn[], room: number): readonly (number | undefined)[] {
  const kept = new Set(columns.keys());
  const least = columns.map(({ width, heading }, at) =>
    Math.min(width, Math.max(heading, at === 0 ? minFoldedName : minFolded)),
  );
  while (kept.size > 1 && total(least, kept) > room) kept.delete(lightest(columns, kept));

  const widthsAt = (level: number) => columns.map(({ width }, at) => Math.max(least[at] ?? 0, Math.min(width, level)));
  let widths = columns.map(({ width }) => width);
  for (let level = room; total(widths, kept) > room && level > 0; level -= 1) widths = widthsAt(level);
  const isAlone = kept.size === 1;
  return widths.map((width, at) => (!kept.has(at) ? undefined : isAlone ? Math.min(width, Math.max(2, room)) : width));
}

function total(widths: readonly number[], kept: ReadonlySet<number>): number {
  return [...kept].reduce((sum, at) => sum + (widths[at] ?? 0), gap * (kept.size - 1));
}

function lightest(columns: readonly MeasuredColumn[], kept: ReadonlySet<number>): number {
  const weight = (at: number) => columns[at]?.weight ?? 0;
  return [...kept].filter((at) => at > 0).reduce((found, at) => (weight(at) <= weight(found) ? at : found));
}
