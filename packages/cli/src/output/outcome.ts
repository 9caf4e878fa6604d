import type { Content } from './content.js';
import { type Format, formatOption, renderList } from './format.js';

/** The `-o` of commands that do something: a sentence unless a program asks. */
export function outcomeOption() {
  return formatOption('table', 'json', 'yaml');
}

/** Renders the outcome of a command: `text` for people, `document` for programs. */
export function renderOutcome(format: Format, text: string | Content, document: unknown): string | Content {
  return format === 'table' ? text : renderList([], { format, columns: [], document });
}
