import { type Definitions, noDefinitions } from './link-definitions.js';

const maxInline = 20_000;
const maxDepth = 10;

/**
 * The letters of a heading without its inline marks, as GitHub shows it: code, emphasis, links,
 * escapes, entities and tags. One pass; texts above 20,000 characters are taken literally.
 */
export function headingText(source: string, definitions: Definitions = noDefinitions): string {
  if (source.length > maxInline || !/[`*_<\\&[\]~]/.test(source)) return source;
  return inline(source, definitions, 0);
}

/** What stands at an offset: its letters, and the offset behind it. */
interface Piece {
  readonly text: string;
  readonly end: number;
}

function inline(source: string, definitions: Definitions, depth: number): string {
  let text = '';
  let at = 0;
  // Where a mark has no partner further on, no later one of its kind has either.
  const hopeless = new Set<string>();
  while (at < source.length) {
    const piece = pieceAt(source, at, definitions, depth, hopeless) ?? plainAt(source, at);
    text += piece.text;
    at = piece.end;
  }
  return text;
}

function pieceAt(
  source: string,
  at: number,
  definitions: Definitions,
  depth: number,
  hopeless: Set<string>,
): Piece | undefined {
  const inner = (from: number, to: number) => inline(source.slice(from, to), definitions, depth + 1);
  switch (source[at]) {
    case '\\':
      return escapeAt(source, at);
    case '`':
      return codeAt(source, at, hopeless);
    case '*':
    case '_':
      return depth < maxDepth ? emphasisAt(source, at, inner, hopeless) : undefined;
    case '~':
      return depth < maxDepth ? struckAt(source, at, inner, hopeless) : undefined;
    case '[':
      return depth < maxDepth ? linkAt(source, at, definitions, inner) : undefined;
    case '<':
      return tagAt(source, at);
    case '&':
      return entityAt(source, at);
  }
  return undefined;
}

/** What no mark begins with. */
const plain = /[^\\`*_[<&~]+/y;

function plainAt(source: string, at: number): Piece {
  plain.lastIndex = at + 1;
  const text = (source[at] ?? '') + (plain.exec(source)?.[0] ?? '');
  return { text, end: at + text.length };
}

function escapeAt(source: string, at: number): Piece | undefined {
  const char = source[at + 1] ?? '';
  return /[!-/:-@[-`{-~]/.test(char) ? { text: char, end: at + 2 } : undefined;
}

function codeAt(source: string, at: number, hopeless: Set<string>): Piece {
  const mark = runOf(source, at, '`');
  const from = at + mark.length;
  const close = hopeless.has(mark) ? -1 : closingRun(source, from, mark);
  if (close >= 0) return { text: source.slice(from, close).trim(), end: close + mark.length };
  hopeless.add(mark);
  return { text: mark, end: from };
}

type Inner = (from: number, to: number) => string;

function emphasisAt(source: string, at: number, inner: Inner, hopeless: Set<string>): Piece {
  const char = source[at] ?? '';
  const run = runOf(source, at, char);
  const mark = run.length <= 3 ? run : char + char;
  const from = at + mark.length;
  const opens = !/\s/.test(source[at + run.length] ?? ' ') && (char === '*' || !isWord(source[at - 1]));
  const close = opens && !hopeless.has(mark) ? closingEmphasis(source, from, mark) : -1;
  if (close > from) return { text: inner(from, close), end: close + mark.length };
  if (opens) hopeless.add(mark);
  return { text: run, end: at + run.length };
}

function struckAt(source: string, at: number, inner: Inner, hopeless: Set<string>): Piece | undefined {
  if (source[at + 1] !== '~' || hopeless.has('~~')) return undefined;
  const close = source.indexOf('~~', at + 2);
  if (close > at + 2) return { text: inner(at + 2, close), end: close + 2 };
  hopeless.add('~~');
  return undefined;
}

/** `[text](target "title")`, `[text][name]`, `[name]`. */
const linkForm = /^\[([^[\]]{0,1000})\](?:(\([^()\s]{0,2000}(?:\s+"[^"]{0,200}")?\))|\[([^[\]]{0,200})\])?/;

function linkAt(source: string, at: number, definitions: Definitions, inner: Inner): Piece | undefined {
  const link = linkForm.exec(source.slice(at, at + 3_400));
  if (!link) return undefined;
  const [all, label = '', target, name] = link;
  if (target === undefined && !definitions.has((name || label).toLowerCase())) return undefined;
  return { text: inner(at + 1, at + 1 + label.length), end: at + all.length };
}

function tagAt(source: string, at: number): Piece | undefined {
  const rest = source.slice(at, at + 2_000);
  const address = /^<(https?:\/\/[^\s<>]+)>/.exec(rest);
  if (address) return { text: address[1] ?? '', end: at + address[0].length };
  const tag = /^<(?:\/?[a-z][^<>]{0,200}|!--[^<>]{0,500}--)>/i.exec(rest);
  return tag ? { text: '', end: at + tag[0].length } : undefined;
}

function entityAt(source: string, at: number): Piece | undefined {
  const entity = /^&(?:(amp|lt|gt|quot|nbsp|mdash|ndash|rarr|larr)|#(\d{1,7}));/.exec(source.slice(at, at + 12));
  if (!entity) return undefined;
  const text = entity[1] ? (named[entity[1]] ?? '') : codePoint(Number(entity[2]));
  return { text, end: at + entity[0].length };
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: '\u00a0',
  mdash: '\u2014',
  ndash: '\u2013',
  rarr: '\u2192',
  larr: '\u2190',
};

function codePoint(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

function runOf(source: string, at: number, char: string): string {
  let end = at;
  while (source[end] === char) end++;
  return source.slice(at, end);
}

function closingRun(source: string, from: number, mark: string): number {
  for (let at = source.indexOf('`', from); at >= 0; at = source.indexOf('`', at)) {
    const run = runOf(source, at, '`');
    if (run.length === mark.length) return at;
    at += run.length;
  }
  return -1;
}

function closingEmphasis(source: string, from: number, mark: string): number {
  for (let at = source.indexOf(mark, from); at >= 0; at = source.indexOf(mark, at + 1)) {
    if (/\s/.test(source[at - 1] ?? ' ')) continue;
    if (mark.length === 1 && (source[at + 1] === mark || source[at - 1] === mark)) continue;
    if (mark.startsWith('_') && isWord(source[at + mark.length])) continue;
    return at;
  }
  return -1;
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}_]/u.test(char);
}
