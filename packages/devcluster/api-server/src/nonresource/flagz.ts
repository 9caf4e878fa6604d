import type { Zpage } from './zpage.js';

/** The flags that a server was started with, defaults included, by name. */
export function flagz(flags: Readonly<Record<string, string>>): Zpage {
  const sorted = Object.fromEntries(Object.entries(flags).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    kind: 'Flagz',
    text: () =>
      Object.entries(sorted)
        .map(([name, value]) => `${name} ${value}\n`)
        .join(''),
    fields: () => ({ flags: sorted }),
  };
}
