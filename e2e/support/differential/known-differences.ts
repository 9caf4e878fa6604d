import type { Difference } from './play.js';

/** Differences that stay, each with its reason; docs/reference/parity.md names them. */
const known: readonly { readonly line: RegExp; readonly reason: string }[] = [
  {
    line: /^\.body\.columnDefinitions\[\d+\]\.description: /,
    reason: 'descriptions of columns are texts of our own',
  },
];

/** Whether all that differs is known to. */
export function isKnown({ lines }: Pick<Difference, 'lines'>): boolean {
  return lines.every((each) => known.some(({ line }) => line.test(each)));
}
