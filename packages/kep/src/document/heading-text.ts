/** The inline Markdown of a heading, as readers see it. */
export interface HeadingText {
  /** The letters without marks. */
  readonly text: string;
  /** As HTML with `code`, `strong`, `em`, `del` and `a`, the way `mdtoc` writes it. */
  readonly html: string;
}

const maxInline = 20_000;

/**
 * Reads the inline Markdown that headings use: code, emphasis, links, escapes,
 * entities and tags. One pass; texts above 20,000 characters are taken literally.
 */
export function headingText(source: string, definitions: Definitions = none): HeadingText {
  if (source.length > maxInline || !/[`*_<\\&[\]~!:"]/.test(source)) return { text: source, html: escapeHtml(source) };
  return inline(source, 0, definitions);
}

/** Where the names in `[text][name]` lead; names in lower case. */
export type Definitions = ReadonlyMap<string, string>;

const none: Definitions = new Map();

function inline(source: string, depth: number, definitions: Definitions): HeadingText {
  let text = '';
  let html = '';
  const add = (part: string) => {
    text += part;
    html += escapeHtml(part);
  };
  let at = 0;
  // Where a mark has no partner further on, no later one of its kind has either.
  const hopeless = new Set<string>();
  while (at < source.length) {
    const char = source[at] ?? '';
    if (char === '\\' && /[!-/:-@[-`{-~]/.test(source[at + 1] ?? '')) {
      add(source[at + 1] ?? '');
      at += 2;
      continue;
    }
    if (char === '`') {
      const mark = runOf(source, at, '`');
      const close = hopeless.has(mark) ? -1 : closingRun(source, at + mark.length, mark);
      if (close >= 0) {
        const code = source.slice(at + mark.length, close).trim();
        text += code;
        html += `<code>${escapeHtml(code)}</code>`;
        at = close + mark.length;
      } else {
        hopeless.add(mark);
        add(mark);
        at += mark.length;
      }
      continue;
    }
    if ((char === '*' || char === '_') && depth < 10) {
      const run = runOf(source, at, char);
      const mark = run.length >= 2 ? char + char : char;
      const opens = !/\s/.test(source[at + run.length] ?? ' ') && (char === '*' || !isWord(source[at - 1]));
      const close = opens && !hopeless.has(mark) ? closingEmphasis(source, at + mark.length, mark) : -1;
      if (close > at + mark.length) {
        const inner = inline(source.slice(at + mark.length, close), depth + 1, definitions);
        const tag = mark.length === 2 ? 'strong' : 'em';
        text += inner.text;
        html += `<${tag}>${inner.html}</${tag}>`;
        at = close + mark.length;
      } else {
        if (opens) hopeless.add(mark);
        add(run);
        at += run.length;
      }
      continue;
    }
    if (char === '[' && depth < 10 && !hopeless.has(']')) {
      const link = linkForm.exec(source.slice(at, at + 3_400));
      const name = (link?.[4] || link?.[1] || '').toLowerCase();
      const target = link?.[2] ?? definitions.get(name);
      if (link && target !== undefined) {
        const inner = inline(link[1] ?? '', depth + 1, definitions);
        const title = link[3] === undefined ? '' : ` title="${escapeHtml(link[3])}"`;
        text += inner.text;
        html += `<a href="${escapeHtml(target)}"${title}>${inner.html}</a>`;
        at += link[0].length;
        continue;
      }
    }
    if (char === '~' && source[at + 1] === '~' && depth < 10 && !hopeless.has('~~')) {
      const close = source.indexOf('~~', at + 2);
      if (close > at + 2) {
        const inner = inline(source.slice(at + 2, close), depth + 1, definitions);
        text += inner.text;
        html += `<del>${inner.html}</del>`;
        at = close + 2;
        continue;
      }
      hopeless.add('~~');
    }
    if (char === '<' || char === 'h') {
      const url = bareUrl.exec(source.slice(at, at + 2_000));
      if (url && !isWord(source[at - 1])) {
        const address = url[1] ?? url[2] ?? '';
        text += address;
        html += `<a href="${escapeHtml(address)}">${escapeHtml(address)}</a>`;
        at += url[0].length;
        continue;
      }
    }
    if (char === '<') {
      const tag = /^<(?:\/?[a-z][^<>]{0,200}|!--[^<>]{0,500}--)>/i.exec(source.slice(at, at + 512));
      if (tag) {
        html += tag[0];
        at += tag[0].length;
        continue;
      }
    }
    if (char === '&') {
      const entity = /^&(?:(amp|lt|gt|quot|nbsp|mdash|ndash|rarr|larr)|#(\d{1,7}));/.exec(source.slice(at, at + 12));
      if (entity) {
        text += entity[1] ? (named[entity[1]] ?? '') : codePoint(Number(entity[2]));
        html += entity[0];
        at += entity[0].length;
        continue;
      }
    }
    plain.lastIndex = at + 1;
    const run = char + (plain.exec(source)?.[0] ?? '');
    add(run);
    at += run.length;
  }
  return { text, html };
}

/** `[text](target "title")`, `[text][name]`, `[name]`. */
const linkForm = /^\[([^[\]]{0,1000})\](?:\(([^()\s]{0,2000})(?:\s+"([^"]{0,200})")?\)|\[([^[\]]{0,200})\])?/;
const bareUrl = /^(?:<(https?:\/\/[^\s<>]+)>|(https?:\/\/[^\s<>()]+[^\s<>().,;:!?"']))/;

/** What no mark begins with. */
const plain = /[^\\`*_[<&~hH]+/y;

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

function escapeHtml(text: string): string {
  if (!/[&<>"]/.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
