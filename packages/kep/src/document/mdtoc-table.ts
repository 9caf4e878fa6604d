import type { MdtocStretches } from './mdtoc-stretches.js';

const [lineFeed, blank, dash, colon, backtick, bar] = [10, 32, 45, 58, 96, 124];

/** Behind the head of a table that begins here, `a | b` and `--- | ---`, as the reader of `mdtoc` sees it; undefined when none does. */
export function behindTableHead(text: string, at: number, stretches: MdtocStretches): number | undefined {
  let end = at;
  let columns = 1;
  let isUnderline = true;
  let isEmpty = true;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === lineFeed) break;
    if (code === backtick) end = Math.max(end, stretches.codeSpan(end) - 1);
    const isBlankOrBar = code === blank || code === bar;
    if (code === bar && isBar(text, end)) columns++;
    if (!isBlankOrBar && code !== dash && code !== colon) isUnderline = false;
    if (!isBlankOrBar) isEmpty = false;
  }
  if (columns === 1) return undefined;
  const head = text.slice(at, end).trimEnd();
  if (head.startsWith('|')) columns--;
  if (head.length > 2 && isBar(head, head.length - 1)) columns--;
  const underline = isUnderline && !isEmpty ? at : end + 1;
  return underline >= text.length ? undefined : behindUnderline(text, underline, columns);
}

function behindUnderline(text: string, from: number, columns: number): number | undefined {
  const end = text.indexOf('\n', from);
  if (end < 0) return undefined;
  const line = text.slice(from, end).replace(/^\|/, '').trimStart();
  const form = /^:?-*:? *(?:\| *|$)/;
  let rest = line;
  let column = 0;
  while (rest !== '') {
    const cell = form.exec(rest)?.[0];
    if (cell === undefined || !/[:-]/.test(cell)) return undefined;
    rest = rest.slice(cell.length);
    column++;
    if (column >= columns && rest !== '') return undefined;
  }
  return column === columns ? end + 1 : undefined;
}

/** Whether a `|` stands here that no backslash takes for text. */
function isBar(text: string, at: number): boolean {
  if (text[at] !== '|') return false;
  let slashes = 0;
  while (text[at - slashes - 1] === '\\') slashes++;
  return slashes % 2 === 0;
}
