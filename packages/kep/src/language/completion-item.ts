import type { TextEdit } from './text-range.js';

/** One thing that an editor offers to write. */
export interface CompletionItem {
  readonly label: string;
  readonly detail: string;
  /** What to write, and instead of what. */
  readonly edit: TextEdit;
}
