import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { go, setQuery, useAddress } from '../shell/router.js';

export interface Column<Row> {
  readonly name: string;
  readonly label: string;
  /** As a track of a CSS grid. */
  readonly width: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** What rows are sorted by; a column without it cannot be sorted by. */
  readonly sortBy?: (row: Row) => string | number;
  /** Where it stands on a phone: beside the first column, or below it; left out when absent. */
  readonly onPhone?: 'beside' | 'below';
}

/** A column that shows a field as it is, and sorts by it. */
export function fieldColumn<Row>(
  name: PlainField<Row>,
  label: string,
  width: string,
  onPhone?: 'beside' | 'below',
): Column<Row> {
  const value = (row: Row) => row[name] as string | number;
  return { name, label, width, cell: value, sortBy: value, ...(onPhone && { onPhone }) };
}

type PlainField<Row> = { [Name in keyof Row]: Row[Name] extends string | number ? Name : never }[keyof Row] & string;

interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** The page of a row; rows without one are not opened. */
  readonly pathOf?: (row: Row) => string;
  /** Name of the column that rows are sorted by until another is chosen, with `-` in front for the other way. */
  readonly sortedBy: string;
  /** Under what the address keeps the column that is chosen. */
  readonly keptAs?: string;
}

interface SortProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

const rowHeight = 40;
const phoneRowHeight = 64;
/** Rows come and go by so many, so that most frames of scrolling draw nothing anew: measured with `npm run bench -- console`. */
const stride = 14;
/** Strides drawn above and below what is seen, so that scrolling shows no gap. */
const spare = 1;
const phone = matchMedia('(max-width: 700px)');

/** Whether the window is as narrow as a phone. */
export function useIsPhone(): boolean {
  const [isPhone, setPhone] = useState(phone.matches);
  useEffect(() => {
    const change = () => setPhone(phone.matches);
    phone.addEventListener('change', change);
    return () => phone.removeEventListener('change', change);
  }, []);
  return isPhone;
}

/**
 * A table of which only the rows in sight are in the document, so that thousands scroll as fast as ten. Arrow keys go
 * from row to row, Enter opens one.
 */
export function Table<Row extends { readonly key: string }>({
  label,
  rows,
  columns,
  pathOf,
  sortedBy,
  keptAs = 'sort',
}: TableProps<Row>) {
  const sort = useAddress().query.get(keptAs) ?? sortedBy;
  const onSort = (chosen: string) => setQuery(keptAs, chosen === sortedBy ? '' : chosen);
  const body = useRef<HTMLDivElement>(null);
  const isPhone = useIsPhone();
  const height = isPhone ? phoneRowHeight : rowHeight;
  const [from, to] = useRowsInSight(body, rows.length, height);
  const [focused, setFocused] = useState(0);
  const wantsFocus = useRef(false);
  // Scrolling draws the table anew, and must not sort thousands of rows each time.
  const sorted = useMemo(() => sortRows(rows, columns, sort), [rows, columns, sort]);
  const at = Math.min(focused, Math.max(0, rows.length - 1));

  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const row = body.current?.querySelector<HTMLElement>(`[data-at="${at}"]`);
    if (!row) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const move = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(innerHeight / height) - 4);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    };
    const row = sorted[at];
    if (event.key === 'Enter' && event.target instanceof HTMLElement && event.target.role === 'row' && row && pathOf) {
      return go(pathOf(row));
    }
    const target = steps[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, target));
    wantsFocus.current = true;
    setFocused(next);
    bringIntoSight(body.current, next, height);
  };

  // The same element again is not looked into when the table is drawn anew.
  const cells = useMemo(() => new WeakMap<Row, VNode>(), [columns, isPhone]);
  const cellsOf = (row: Row) => {
    const known = cells.get(row);
    if (known) return known;
    const made = isPhone ? <PhoneCells row={row} columns={columns} /> : <Cells row={row} columns={columns} />;
    cells.set(row, made);
    return made;
  };

  const grid = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') };
  return (
    <div class="table" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      {isPhone && <SortChoice columns={columns} sort={sort} onSort={onSort} />}
      <div class={isPhone ? 'hidden' : 'table-head'} role="rowgroup">
        <div class="row" role="row" aria-rowindex={1} style={isPhone ? {} : grid}>
          {columns.map((column) => (
            <Heading key={column.name} column={column} sort={sort} onSort={onSort} />
          ))}
        </div>
      </div>
      <div
        class="table-body"
        role="rowgroup"
        ref={body}
        onKeyDown={move}
        style={{ height: `${rows.length * height}px` }}
      >
        {sorted.slice(from, to).map((row, index) => {
          const place = from + index;
          return (
            <div
              key={row.key}
              class={pathOf ? 'row row-opens' : 'row'}
              role="row"
              aria-rowindex={place + 2}
              data-at={place}
              tabIndex={place === at ? 0 : -1}
              style={{ transform: `translateY(${place * height}px)`, height: `${height}px`, ...(isPhone ? {} : grid) }}
              onClick={(event) => pathOf && openByClick(event, pathOf(row))}
              onFocus={() => setFocused(place)}
            >
              {cellsOf(row)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Heading<Row>({ column, sort, onSort }: { readonly column: Column<Row> } & Omit<SortProps<Row>, 'columns'>) {
  const { name, label, sortBy } = column;
  const order = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none';
  return (
    <div role="columnheader" class="cell" aria-sort={order}>
      {sortBy ? (
        <button type="button" class="heading" onClick={() => onSort(order === 'ascending' ? `-${name}` : name)}>
          {label}
          <span class="sort" aria-hidden="true">
            {order === 'ascending' ? '↑' : order === 'descending' ? '↓' : ''}
          </span>
        </button>
      ) : (
        <span class="heading">{label}</span>
      )}
    </div>
  );
}

/** Chooses the column to sort by, where headings have no room. */
function SortChoice<Row>({ columns, sort, onSort }: SortProps<Row>) {
  return (
    <label class="sort-choice">
      Sorted by{' '}
      <select value={sort.replace(/^-/, '')} onChange={(event) => onSort(event.currentTarget.value)}>
        {columns.map(
          ({ name, label, sortBy }) =>
            sortBy && (
              <option key={name} value={name}>
                {label}
              </option>
            ),
        )}
      </select>
    </label>
  );
}

function Cells<Row>({ row, columns }: { readonly row: Row; readonly columns: readonly Column<Row>[] }) {
  return (
    <>
      {columns.map(({ name, cell }) => (
        <div key={name} role="cell" class={`cell cell-${name}`}>
          {cell(row)}
        </div>
      ))}
    </>
  );
}

function PhoneCells<Row>({ row, columns }: { readonly row: Row; readonly columns: readonly Column<Row>[] }) {
  const [first, ...others] = columns;
  const of = (place: Column<Row>['onPhone']) => others.filter(({ onPhone }) => onPhone === place);
  return (
    <>
      <div class="phone-line">
        {[...(first ? [first] : []), ...of('beside')].map(({ name, cell }) => (
          <div key={name} role="cell" class={`cell cell-${name}`}>
            {cell(row)}
          </div>
        ))}
      </div>
      <div class="phone-line faint">
        {of('below').map(({ name, label, cell }) => (
          <div key={name} role="cell" class={`cell cell-${name}`}>
            <span class="phone-label">{label}</span> {cell(row)}
          </div>
        ))}
      </div>
    </>
  );
}

function openByClick(event: MouseEvent, path: string): void {
  if (event.defaultPrevented || (event.target as HTMLElement).closest('a, button')) return;
  if (getSelection()?.toString()) return;
  go(path);
}

function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: string): readonly Row[] {
  const isDown = sort.startsWith('-');
  const column = columns.find(({ name }) => name === (isDown ? sort.slice(1) : sort));
  const by = column?.sortBy;
  if (!by) return rows;
  const sign = isDown ? -1 : 1;
  return [...rows].sort((a, b) => sign * compare(by(a), by(b)));
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function compare(one: string | number, other: string | number): number {
  return typeof one === 'number' && typeof other === 'number' ? one - other : collator.compare(`${one}`, `${other}`);
}

/** The rows to draw for where the window is scrolled to. */
function useRowsInSight(body: { readonly current: HTMLElement | null }, count: number, height: number) {
  const [sight, setSight] = useState<readonly [number, number]>([0, 60]);
  useLayoutEffect(() => {
    const look = () => {
      const top = -(body.current?.getBoundingClientRect().top ?? 0);
      const from = Math.max(0, (Math.floor(top / height / stride) - spare) * stride);
      const to = Math.min(count, (Math.ceil((top + innerHeight) / height / stride) + spare) * stride);
      setSight((now) => (now[0] === from && now[1] === to ? now : [from, to]));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [body, count, height]);
  return sight;
}

function bringIntoSight(body: HTMLElement | null, at: number, height: number): void {
  if (!body) return;
  const top = body.getBoundingClientRect().top + at * height;
  const head = 140;
  if (top < head) scrollBy(0, top - head);
  else if (top + height > innerHeight - 8) scrollBy(0, top + height - innerHeight + 8);
}
