import type { Definitions } from './link-definitions.js';

/** What a reader of one construct found: how far it goes, and what it shows. */
interface Piece extends TocHeading {
  /** Offset behind it. */
  readonly end: number;
}

const escapable = '\\`*_{}[]()#+-.!:|&<>~^$';
const maxDepth = 16;

/** Reads inline Markdown as `mdtoc` does. What has no partner is text, letter by letter. */
export class HeadingInline {
  readonly #source: string;
  readonly #definitions: Definitions;
  readonly #depth: number;
  readonly #inLink: boolean;

  constructor(source: string, definitions: Definitions, depth = 0, inLink = false) {
    this.#source = source;
    this.#definitions = definitions;
    this.#depth = depth;
    this.#inLink = inLink;
  }

  read(): TocHeading {
    let text = '';
    let html = '';
    let plain = 0;
    let at = 0;
    const addPlain = (end: number) => {
      text += this.#source.slice(plain, end);
      html += escapeText(this.#source.slice(plain, end));
    };
    while (at < this.#source.length) {
      const piece = this.#depth < maxDepth ? this.#pieceAt(at) : undefined;
      if (!piece) {
        at++;
        continue;
      }
      addPlain(at);
      text += piece.text;
      html += piece.html;
      at = piece.end;
      plain = at;
    }
    addPlain(this.#source.length);
    return { text, html };
  }

  #pieceAt(at: number): Piece | undefined {
    switch (this.#source[at]) {
      case '\\':
        return this.#escape(at);
      case '`':
        return this.#code(at);
      case '*':
      case '_':
      case '~':
        return this.#emphasis(at);
      case '[':
        return this.#link(at, at + 1);
      case '!':
        return this.#source[at + 1] === '[' ? this.#link(at, at + 2) : undefined;
      case '<':
        return this.#tag(at);
      case '&':
        return this.#entity(at);
      case '$':
        return this.#formula(at);
      case 'h':
      case 'H':
      case 'f':
      case 'F':
      case 'm':
      case 'M':
        return this.#inLink ? undefined : this.#address(at);
    }
    return undefined;
  }

  #escape(at: number): Piece | undefined {
    const char = this.#source[at + 1];
    if (char === undefined) return { end: at + 1, text: '', html: '' };
    return escapable.includes(char) ? { end: at + 2, text: char, html: escapeText(char) } : undefined;
  }

  #code(at: number): Piece | undefined {
    let open = at;
    while (this.#source[open] === '`') open++;
    const mark = this.#source.slice(at, open);
    const close = this.#source.indexOf(mark, open);
    if (close < 0) return undefined;
    const code = this.#source.slice(open, close).replace(/^ +| +$/g, '');
    const html = code === '' ? '' : `<code>${escapeText(code)}</code>`;
    return { end: close + mark.length, text: code, html };
  }

  #formula(at: number): Piece | undefined {
    if (this.#source[at + 1] === '$' || this.#source.length - at <= 2) return undefined;
    const close = this.#source.indexOf('$', at + 1);
    if (close < 0) return undefined;
    const formula = escapeText(this.#source.slice(at + 1, close));
    return { end: close + 1, text: '', html: `<span class="math inline">\\(${formula}\\)</span>` };
  }

  #entity(at: number): Piece | undefined {
    const entity = /^&#?([A-Za-z0-9]*);/.exec(this.#source.slice(at, at + 40));
    if (!entity) return undefined;
    const code = /^&#(?:x([0-9a-f]{1,6})|(\d{1,7}));$/i.exec(entity[0]);
    const text = code
      ? codePoint(code[1] === undefined ? Number(code[2]) : Number.parseInt(code[1], 16))
      : entity[0] === '&amp;'
        ? '&'
        : entity[0];
    return { end: at + entity[0].length, text, html: escapeText(text) };
  }

  #tag(at: number): Piece | undefined {
    const rest = this.#source.slice(at, at + 2_000);
    const mail = /^<([\w.+-]+@[\w.-]+)>/.exec(rest);
    if (mail) return { end: at + mail[0].length, ...this.#anchor(`mailto:${mail[1]}`, mail[1] ?? '') };
    const address = /^<([a-z0-9][a-z0-9.+-]+:[^\s<>'"]+)>/i.exec(rest);
    if (address) return { end: at + address[0].length, ...this.#anchor(address[1] ?? '', address[1] ?? '') };
    const tag = /^<!--.{0,1900}?-->|^<\/?[a-z0-9][^>]*>/i.exec(rest);
    return tag ? { end: at + tag[0].length, text: '', html: tag[0] } : undefined;
  }

  #address(at: number): Piece | undefined {
    if (/[a-z]/i.test(this.#source[at - 1] ?? '')) return undefined;
    const found = /^(?:https?:\/\/|ftp:\/\/|file:\/\/|mailto:)[^\s<]+/i.exec(this.#source.slice(at, at + 2_000));
    if (!found) return undefined;
    let address = found[0].replace(/[.,;]$/, '');
    const closing = { ')': '(', ']': '[', '}': '{' }[address.at(-1) ?? ''];
    if (closing && !address.includes(closing)) address = address.slice(0, -1);
    return { end: at + address.length, ...this.#anchor(address, address) };
  }

  /** `from` is behind the `[`; an image begins one letter earlier. */
  #link(at: number, from: number): Piece | undefined {
    const isImage = this.#source[at] === '!';
    const close = this.#closingBracket(from);
    if (close < 0) return undefined;
    const label = this.#source.slice(from, close);
    const rest = this.#source.slice(close + 1, close + 3_000);
    const inline = /^\s*\(\s*<?((?:[^()\s'"<>]|\([^()]*\))*)>?(?:\s*(?:"([^"]*)"|'([^']*)'))?\s*\)/.exec(rest);
    if (inline) {
      const end = close + 1 + inline[0].length;
      return { end, ...this.#shownLink(isImage, label, inline[1] ?? '', inline[2] ?? inline[3]) };
    }
    const named = /^\s*\[([^\]]*)\]/.exec(rest);
    const target = this.#definitions.get((named?.[1] || label).toLowerCase());
    if (target === undefined) return undefined;
    return { end: close + 1 + (named?.[0].length ?? 0), ...this.#shownLink(isImage, label, target, undefined) };
  }

  #closingBracket(from: number): number {
    let level = 1;
    for (let at = from; at < this.#source.length; at++) {
      if (this.#source[at - 1] === '\\') continue;
      if (this.#source[at] === '[') level++;
      else if (this.#source[at] === ']' && --level === 0) return at;
    }
    return -1;
  }

  #shownLink(isImage: boolean, label: string, target: string, title: string | undefined): TocHeading {
    const attribute = title ? ` title="${escapeText(title)}"` : '';
    if (isImage) {
      const html = `<img src="${escapeText(target)}" alt="${escapeText(label)}"${attribute} />`;
      return { text: label, html };
    }
    const inner = new HeadingInline(label, this.#definitions, this.#depth + 1, true).read();
    return { text: inner.text, html: `<a href="${escapeText(target)}"${attribute}>${inner.html}</a>` };
  }

  #anchor(target: string, label: string): TocHeading {
    return { text: label, html: `<a href="${escapeText(target)}">${escapeText(label)}</a>` };
  }

  /** One mark is emphasis (never for `~~`), two are strong or struck out, three are both. */
  #emphasis(at: number): Piece | undefined {
    const mark = this.#source[at] ?? '';
    let length = 1;
    while (this.#source[at + length] === mark && length < 4) length++;
    const next = this.#source[at + length];
    if (length > 3 || next === undefined || isBlank(next)) return undefined;
    const from = at + length;
    if (length === 1) return this.#single(from, mark);
    if (length === 2) return this.#double(from, mark);
    return mark === '~' ? undefined : this.#triple(from, mark);
  }

  #single(from: number, mark: string): Piece | undefined {
    let at = from;
    for (;;) {
      at = nextMark(this.#source, at, mark);
      if (at < 0) return undefined;
      if (this.#source[at + 1] === mark) {
        at += 2;
        continue;
      }
      const behind = this.#source[at + 1];
      const ends = behind === undefined || isBlank(behind) || /[\p{P}$+<=>^`|~]/u.test(behind);
      return ends && at > from && !isBlank(this.#source[at - 1]) ? this.#wrapped('em', from, at, at + 1) : undefined;
    }
  }

  #double(from: number, mark: string): Piece | undefined {
    for (let at = nextMark(this.#source, from, mark); at >= 0; at = nextMark(this.#source, at + 1, mark)) {
      if (at === from) return undefined;
      if (this.#source[at + 1] !== mark || isBlank(this.#source[at - 1])) continue;
      return this.#wrapped(mark === '~' ? 'del' : 'strong', from, at, at + 2);
    }
    return undefined;
  }

  #triple(from: number, mark: string): Piece | undefined {
    const at = nextMark(this.#source, from, mark);
    if (at <= from || isBlank(this.#source[at - 1])) return undefined;
    if (this.#source.startsWith(mark.repeat(3), at)) {
      const inner = this.#wrapped('em', from, at, at + 3);
      return { ...inner, html: `<strong>${inner.html}</strong>` };
    }
    return this.#source[at + 1] === mark ? this.#single(from - 2, mark) : this.#double(from - 1, mark);
  }

  #wrapped(tag: string, from: number, to: number, end: number): Piece {
    const inner = new HeadingInline(
      this.#source.slice(from, to),
      this.#definitions,
      this.#depth + 1,
      this.#inLink,
    ).read();
    return { end, text: inner.text, html: `<${tag}>${inner.html}</${tag}>` };
  }
}

/** The next mark that is not escaped, nor in code or the address of a link. */
function nextMark(source: string, from: number, mark: string): number {
  for (let at = from; at < source.length; at++) {
    const char = source[at];
    if (source[at - 1] === '\\' && at > from) continue;
    if (char === mark) return at;
    if (char === '`') {
      const close = source.indexOf('`', at + 1);
      if (close < 0) return source.indexOf(mark, at + 1);
      at = close;
    } else if (char === '[') {
      const link = /^\[[^\]]*\]\s*(?:\([^()]*\)|\[[^\]]*\])/.exec(source.slice(at, at + 3_000));
      if (link && !link[0].includes(mark)) at += link[0].length - 1;
    }
  }
  return -1;
}

function isBlank(char: string | undefined): boolean {
  return char === undefined || /\s/.test(char);
}

function codePoint(code: number): string {
  const isValid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isValid ? String.fromCodePoint(code) : '\ufffd';
}

/** Text between tags. */
export function escapeText(text: string): string {
  if (!/[&<>"]/.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** One heading as the generator of tables of contents, `mdtoc`, reads it. */
export interface TocHeading {
  /** Without marks and tags: what its anchor is made of. */
  readonly text: string;
  readonly html: string;
}
