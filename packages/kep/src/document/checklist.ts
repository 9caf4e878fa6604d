import type { Blocks } from './blocks.js';
import { lineKind } from './blocks.js';
import type { Lines, Span } from './lines.js';

/** `- [x] (R) Something is done`. */
export interface CheckItem extends Span {
  readonly line: number;
  readonly indent: number;
  readonly checked: boolean;
  /** Marked `(R)`: required before a release. */
  readonly isRequired: boolean;
  readonly text: string;
  /** The box with its brackets. */
  readonly box: Span;
  /** `[]` or no blank behind it: readers show it as text. */
  readonly malformed: boolean;
}

/** A mark for "done" that people write between the brackets. */
const box = /^\[( ?|[xX✓✔☑]| +|[xX] | [xX])\]([\s\S]?)/;

const openBracket = 91;

/** The items with boxes, also the paragraphs that begin with one. */
export function readChecklist(text: string, lines: Lines, blocks: Blocks): CheckItem[] {
  const found: CheckItem[] = [];
  const add = (line: number, indent: number, at: number) => {
    const end = lines.end(line);
    const match = box.exec(text.slice(at, Math.min(end, at + 8)));
    if (!match) return;
    const behind = match[2] ?? '';
    // A link or a reference follows: "[x](...)", "[x]:".
    if (/[([:]/.test(behind)) return;
    const boxEnd = at + match[0].length - behind.length;
    const label = text.slice(boxEnd, end).trim();
    found.push({
      start: at,
      end,
      line,
      indent,
      checked: (match[1] ?? '').trim() !== '',
      isRequired: /^\(R\)/i.test(label),
      text: label.replace(/^\(R\)\s*/i, ''),
      box: { start: at, end: boxEnd },
      malformed: !/^\[[ xX]\]$/.test(text.slice(at, boxEnd)) || (behind !== '' && behind.trim() !== ''),
    });
  };
  const { items } = blocks;
  for (let each = 0; each < items.length; each++) {
    const item = items[each];
    if (item && text.charCodeAt(item.at) === openBracket) add(item.line, item.indent, item.at);
  }
  for (let at = text.indexOf('['); at >= 0; at = text.indexOf('[', at + 1)) {
    if (at > 0 && !'\n\r'.includes(text[at - 1] ?? '')) continue;
    const line = lines.at(at);
    if (blocks.kinds[line] === lineKind.text) add(line, 0, at);
  }
  return found.sort((one, other) => one.start - other.start);
}
