import { useEffect, useRef } from 'preact/hooks';
import { setQuery } from '../router.js';

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
