const hashCode = 35;
const tabCode = 9;
const spaceCode = 32;
const oneCode = 49;

/** A list mark and where the content of its item begins. */
export interface ItemMark {
  /** Column of the content. */
  readonly content: number;
  /** Offset of the content. */
  readonly at: number;
  readonly isEmpty: boolean;
  /** The content is further in than code may be. */
  readonly isCode: boolean;
}

/** `## Title ##` from its first mark on; undefined when it is not a heading. */
export function atxMark(
  text: string,
  at: number,
  end: number,
): { readonly level: 1 | 2 | 3 | 4 | 5 | 6; readonly start: number; readonly end: number } | undefined {
  let behind = at;
  while (text.charCodeAt(behind) === hashCode && behind - at < 7) behind++;
  const level = behind - at;
  if (level > 6 || (behind < end && !isBlank(text.charCodeAt(behind)))) return undefined;
  let from = behind;
  while (from < end && isBlank(text.charCodeAt(from))) from++;
  const to = withoutBlanks(text, from, end);
  let marks = to;
  while (marks > from && text.charCodeAt(marks - 1) === hashCode) marks--;
  const isClosed = marks === from || isBlank(text.charCodeAt(marks - 1));
  return {
    level: level as 1 | 2 | 3 | 4 | 5 | 6,
    start: from,
    end: isClosed ? withoutBlanks(text, from, marks) : to,
  };
}

/** Three or more of a mark that open a code block, and what stands behind them. */
export function fenceMark(
  text: string,
  at: number,
  end: number,
): { readonly mark: string; readonly length: number; readonly info: string } | undefined {
  const mark = text[at] ?? '';
  let behind = at;
  while (text[behind] === mark) behind++;
  const length = behind - at;
  if (length < 3) return undefined;
  const info = text.slice(behind, end).trim();
  return mark === '`' && info.includes('`') ? undefined : { mark, length, info };
}

/** Whether a line closes a code block: as many marks as opened it, and nothing else. */
export function closesFence(text: string, at: number, end: number, mark: string, length: number): boolean {
  let behind = at;
  while (text[behind] === mark) behind++;
  return behind - at >= length && text.slice(behind, end).trim() === '';
}

/**
 * `- `, `* `, `+ `, `1. `, `1) `. `isFree`: no paragraph of the same container is open, which not
 * every list item may interrupt.
 */
export function itemMark(text: string, at: number, column: number, end: number, isFree: boolean): ItemMark | undefined {
  let behind = at;
  if (isDigit(text[at] ?? '')) {
    while (isDigit(text[behind] ?? '') && behind - at < 10) behind++;
    const mark = text[behind];
    if (behind - at > 9 || (mark !== '.' && mark !== ')')) return undefined;
    if (!isFree && (behind > at + 1 || text.charCodeAt(at) !== oneCode)) return undefined;
  }
  behind++;
  let content = column + behind - at;
  const markEnd = content;
  let blanks = behind;
  for (; blanks < end && isBlank(text.charCodeAt(blanks)); blanks++) {
    const toTabStop = 4 - (content % 4);
    content += text.charCodeAt(blanks) === tabCode ? toTabStop : 1;
  }
  const isEmpty = blanks >= end;
  if (isEmpty ? !isFree : blanks === behind) return undefined;
  const nearest = markEnd + 1;
  const isCode = !isEmpty && content - markEnd > 4;
  return { content: isEmpty || isCode ? nearest : content, at: Math.min(blanks, end), isEmpty, isCode };
}

/** Whether a line holds one mark, as often as it likes, and blanks. */
export function holdsOneMark(text: string, at: number, end: number): boolean {
  const mark = text.charCodeAt(at);
  for (let each = at + 1; each < end; each++) {
    const code = text.charCodeAt(each);
    if (code !== mark && !isBlank(code)) return false;
  }
  return true;
}

/** `===` or `---` below a paragraph: the level of the heading that it makes. */
export function underlineLevel(text: string, at: number, end: number): 1 | 2 | undefined {
  const mark = text[at];
  if (mark !== '=' && mark !== '-') return undefined;
  const level = mark === '=' ? 1 : 2;
  let behind = at;
  while (behind < end && text[behind] === mark) behind++;
  while (behind < end && isBlank(text.charCodeAt(behind))) behind++;
  return behind < end ? undefined : level;
}

/** `***`, `- - -`, `___` and the like. */
export function isRule(text: string, at: number, end: number): boolean {
  const mark = text[at];
  if (mark !== '*' && mark !== '-' && mark !== '_') return false;
  let marks = 0;
  for (let each = at; each < end; each++) {
    if (text[each] === mark) marks++;
    else if (!isBlank(text.charCodeAt(each))) return false;
  }
  return marks >= 3;
}

/** Whether a character is a letter of ASCII: a line that begins with one, outside of fences and HTML, is text and nothing else. Most do. */
export function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

export function isBlank(code: number): boolean {
  return code === spaceCode || code === tabCode;
}

/** Whether a list item may begin with a character. */
export function isItemMark(char: string | undefined): boolean {
  return char === '-' || char === '*' || char === '+' || (char !== undefined && isDigit(char));
}

export function isDigit(char: string): boolean {
  return char >= '0' && char <= '9' && char.length === 1;
}

function withoutBlanks(text: string, from: number, end: number): number {
  let to = end;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return to;
}
