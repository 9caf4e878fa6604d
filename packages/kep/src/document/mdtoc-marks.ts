/**
 * What begins at an offset of a text, as the Markdown reader of `mdtoc` decides it, which is not CommonMark: two words
 * behind the marks of a code block make it text, a tab behind `#` too, and a list item needs a blank behind its mark.
 */

const forms = {
  heading: /#{1,6} /y,
  /** Of another dialect, which the reader accepts although it is off. */
  specialHeading: /\.#(?= )/y,
  quote: / {0,3}> ?/y,
  bullet: / {0,3}[*+-][ \t]/y,
  number: / {0,3}\d+[.)][ \t]/y,
  definition: /:[ \t]/y,
  code: /\t| {4}/y,
  fence: / {0,3}(`{3,}(?!`)|~{3,}(?!~)) *(?:\{[^}\n]*\}|(?!\{)[^ \t\n\f\v\r]*) *(?:\n|$)/y,
  underline: /(?:=+|-+) *\n/y,
  rule: / {0,3}([*_-])(?:\1| )*(?=\n|$)/y,
  horizontalRuleTag: /<[hH][rR](?=[ />])[^>\n]*>/y,
  reference: / {0,3}\[[^\]\n]+\]:(?=([ \t]*\n?[ \t]*))\1(?=[\s\S])/y,
} as const;

export type Mark = keyof typeof forms;

/** The offset behind a mark that begins at `at`; undefined when none does. */
export function behind(mark: Mark, text: string, at: number): number | undefined {
  const form = forms[mark];
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : undefined;
}

/** Offset of the line end at or behind `at`. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** Offset of the next line. */
export function nextLine(text: string, at: number): number {
  return Math.min(text.length, lineEnd(text, at) + 1);
}

/** Returns the start of the next line if only blanks follow `at` on this one; undefined at the end of the text. */
export function behindBlank(text: string, at: number): number | undefined {
  let end = at;
  while (end < text.length && isBlank(text.charCodeAt(end))) end++;
  if (at >= text.length || (end < text.length && text.charCodeAt(end) !== 10)) return undefined;
  return Math.min(text.length, end + 1);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** The first mark of a line behind at most three blanks; the expressions need not be asked about most lines. */
function firstMark(text: string, at: number): string {
  let start = at;
  while (text.charCodeAt(start) === 32 && start < at + 3) start++;
  return text[start] ?? '';
}

/** Without one of these, a text within a list or quote has no heading; most have none. */
export const headingMark = /#|[=-] *\n/;

export function isHeading(text: string, at: number): boolean {
  if (text[at] !== '#' && text[at] !== '.') return false;
  return behind('heading', text, at) !== undefined || behind('specialHeading', text, at) !== undefined;
}

export function isRule(text: string, at: number): boolean {
  const end = behind('rule', text, at);
  return end !== undefined && text.slice(at, end).replaceAll(' ', '').length >= 3;
}

export function isItem(text: string, at: number): boolean {
  if (!'*+-:0123456789'.includes(firstMark(text, at))) return false;
  return (
    (behind('bullet', text, at) !== undefined && !isRule(text, at)) ||
    behind('number', text, at) !== undefined ||
    behind('definition', text, at) !== undefined
  );
}

/** The mark of a code block that begins here, and the offset of its first line. */
export function fenceAt(text: string, at: number): { readonly mark: string; readonly first: number } | undefined {
  if (!'`~'.includes(firstMark(text, at))) return undefined;
  const first = behind('fence', text, at);
  const mark = first === undefined ? undefined : /`{3,}|~{3,}/.exec(text.slice(at, first))?.[0];
  return mark === undefined || first === undefined ? undefined : { mark, first };
}

/** Whether a line ends the code block that began with `mark`: as many marks, and nothing else. */
export function closesFence(text: string, at: number, mark: string): number | undefined {
  let from = at;
  while (text[from] === ' ' && from < at + 3) from++;
  if (!text.startsWith(mark, from) || text[from + mark.length] === mark[0]) return undefined;
  let end = from + mark.length;
  while (text[end] === ' ') end++;
  if (end < text.length && text[end] !== '\n') return undefined;
  return Math.min(text.length, end + 1);
}

/** The end of the definition of a reference, `[name]: target "title"`, that begins here. */
export function behindReference(text: string, at: number): number | undefined {
  if (text.length - at < 4) return undefined;
  const from = behind('reference', text, at);
  if (from === undefined) return undefined;
  const line = text.slice(from, lineEnd(text, from));
  const rest = /^<?[^ \t]*[ \t]*/.exec(line)?.[0].length ?? 0;
  const title = line.slice(rest);
  if (title === '') return behindTitle(text, from + line.length) ?? from + line.length;
  return /^(?:'|"|\()/.test(title) && /.['")][ \t]*$/.test(title) ? from + line.length : undefined;
}

/** A title on the line behind the target. */
function behindTitle(text: string, end: number): number | undefined {
  const line = /^[ \t]*['"(].+['")][ \t]*$/.exec(text.slice(end + 1, lineEnd(text, end + 1)));
  return line ? end + 1 + line[0].length : undefined;
}
