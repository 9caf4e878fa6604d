import type { TextRange } from './text-range.js';

/** What an editor shows beside the pointer, as Markdown. */
export interface Hover {
  readonly markdown: string;
  readonly range: TextRange;
}
