import { printable } from '@slipway/safe-yaml/printable';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const changed = new EventTarget();

/** Shows another page, or the same one with another query. */
export function go(to: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', to);
  else history.replaceState(null, '', to);
  changed.dispatchEvent(new Event('change'));
  if (how === 'push') scrollTo(0, 0);
}

/** The path and the query of the address bar. */
export function useAddress(): { readonly path: string; readonly query: URLSearchParams } {
  const [, redraw] = useState(0);
  useEffect(() => {
    const draw = () => redraw((count) => count + 1);
    changed.addEventListener('change', draw);
    addEventListener('popstate', draw);
    return () => {
      changed.removeEventListener('change', draw);
      removeEventListener('popstate', draw);
    };
  }, []);
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** The parts of a path as they are shown: a link may be forged. One that cannot be decoded names nothing. */
export function partsOf(path: string): readonly string[] {
  return path.split('/').map((part) => {
    try {
      return printable(decodeURIComponent(part));
    } catch {
      return part;
    }
  });
}

/** Puts a value into the query, so that the address leads back to what is shown; an empty one takes it out. */
export function setQuery(name: string, value: string): void {
  const query = new URLSearchParams(location.search);
  if (value === '') query.delete(name);
  else query.set(name, value);
  const text = query.toString();
  go(location.pathname + (text === '' ? '' : `?${text}`), 'replace');
}

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** A link to another page of the console. */
export function Link({ to, class: className, current, children }: LinkProps) {
  const open = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={to} class={className} onClick={open} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  );
}
