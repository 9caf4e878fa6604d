import { renderTable } from '../../output/table.js';

/** One thing that was looked at. */
export interface Finding {
  /** A node, or `cluster`. */
  readonly about: string;
  readonly check: string;
  readonly answer: 'yes' | 'no' | 'unknown';
  readonly message: string;
}

export function renderFindings(findings: readonly Finding[]): string {
  return renderTable(findings, [
    { heading: 'ABOUT', cell: ({ about }) => about },
    { heading: 'CHECK', cell: ({ check }) => check },
    { heading: 'OK', weight: 8, state: true, cell: ({ answer }) => answer },
    { heading: 'MESSAGE', weight: 9, cell: ({ message }) => message },
  ]);
}
