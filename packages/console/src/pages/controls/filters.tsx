import { useEffect, useRef } from 'preact/hooks';
import { setQuery } from '../shell/router.js';

interface SearchProps {
  readonly label: string;
  readonly value: string;
}

/** A field that filters by text; the address keeps what was typed, and `/` leads to it. */
export function Search({ label, value }: SearchProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { tagName } = event.target as HTMLElement;
      if (event.key !== '/' || tagName === 'INPUT' || tagName === 'SELECT' || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <input
      ref={field}
      type="search"
      class="search"
      aria-label={label}
      placeholder={`${label}  /`}
      value={value}
      onInput={(event) => setQuery('q', event.currentTarget.value)}
    />
  );
}

/** Counts the rows that fit the filters, and names the number of all where that is more. */
export function fittingOf(fitting: readonly unknown[], rows: readonly unknown[]): string {
  return fitting.length === rows.length ? `${rows.length}` : `${fitting.length} of ${rows.length}`;
}

interface ChipProps {
  readonly label: string;
  readonly count: number;
  readonly isOn: boolean;
  readonly onToggle: () => void;
}

/** A filter that is on or off. */
export function Chip({ label, count, isOn, onToggle }: ChipProps) {
  return (
    <button type="button" class="chip" aria-pressed={isOn} onClick={onToggle}>
      {label} <span class="count">{count}</span>
    </button>
  );
}

/** A filter of rows, of which one at a time is on; the address keeps its name as `is`. */
export interface RowFilter<Row> {
  readonly name: string;
  readonly label: string;
  readonly fits: (row: Row) => boolean;
}

interface OneOfProps<Row> {
  readonly filters: readonly RowFilter<Row>[];
  readonly rows: readonly Row[];
  readonly chosen: RowFilter<Row> | undefined;
}

/** Filters of which one at a time is on. */
export function OneOf<Row>({ filters, rows, chosen }: OneOfProps<Row>) {
  return (
    <>
      {filters.map(({ name, label, fits }) => (
        <Chip
          key={name}
          label={label}
          count={rows.filter(fits).length}
          isOn={chosen?.name === name}
          onToggle={() => setQuery('is', chosen?.name === name ? '' : name)}
        />
      ))}
    </>
  );
}
