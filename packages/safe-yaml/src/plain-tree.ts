import { defaultLimits, type YamlLimits } from './limits.js';
import type { YamlEntry, YamlNode, YamlScalar } from './yaml-node.js';

/** Longer texts are left to the library; metadata that people write has 2 KB. */
const maxLength = 16_384;

/** Lists and mappings within one another. */
const maxDepth = 8;

const unusual = /[^\n -~\u00a0-\ufefe]/;
const keyForm = /([A-Za-z][\w-]{0,99}):(?=[ \n]|$)/y;
/** A value that is one plain text, for it begins with no mark. */
const plainForm = /[A-Za-z\d_/(\u00bf-\u2027][^\n]*/y;
const quotedForm = /"([^"\\\n]*)"|'([^'\n]*)'(?!')/y;
const flowListForm = /\[ *(?:[\w"'][^[\]{}#&*!|>%`:?\\\n]*)?\]/y;
const flowItem = /([A-Za-z][\w./@-]*)|"([^"]*)"|'([^']*)'/y;
/** What may stand behind a value. */
const restForm = / *(?:(?<= )#[^\n]*)?(?:\n|$)/y;
/** Plain texts that mean something else; what may be a number of another form is left to the library. */
const wordForm = /^(?:(null|Null|NULL)|(true|True|TRUE)|false|False|FALSE)$/;
const dateForm = /^\d{4}-\d\d?-\d\d?$/;
const numberForm = /^\d{1,15}(?:\.\d{1,15})?$/;

/**
 * The tree of a text that is written as most metadata is: mappings and lists line by line, values on one line, no anchors, tags or
 * escapes. Undefined for all else, whether valid or not. It is the tree that the library makes, in a small part of the time.
 */
export function plainTree(text: string, limits: YamlLimits = defaultLimits): YamlNode | undefined {
  // A character has at most three bytes, and is at most one key, element or line.
  const longest = Math.min(maxLength, Math.floor(limits.maxBytes / 3), limits.maxNodes);
  if (text.length > longest || limits.maxDepth <= maxDepth + 1 || unusual.test(text)) return undefined;
  return new PlainReader(text).read();
}

class PlainReader {
  readonly #text: string;
  /** The first mark of the line that comes next; the end of the text when none does. */
  #at = 0;
  #column = 0;
  /** Behind the line of the last value. */
  #end = 0;
  /** Column of the innermost comment before the line that comes next, or -1. */
  #comment = -1;

  constructor(text: string) {
    this.#text = text;
  }

  read(): YamlNode | undefined {
    this.#toLine(0);
    const root = this.#column === 0 ? this.#block(0) : undefined;
    return this.#isOver() ? root : undefined;
  }

  #isOver(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Goes to the first mark of the next line that holds more than a comment. */
  #toLine(from: number): void {
    const text = this.#text;
    let start = from;
    this.#comment = -1;
    for (;;) {
      let at = start;
      while (text[at] === ' ') at++;
      this.#at = at;
      this.#column = at - start;
      if (text[at] === '#') this.#comment = Math.max(this.#comment, this.#column);
      else if (text[at] !== '\n') return;
      const end = text.indexOf('\n', at);
      start = end < 0 ? text.length : end + 1;
    }
  }

  #isItem(): boolean {
    return this.#text[this.#at] === '-' && this.#text[this.#at + 1] === ' ';
  }

  #block(depth: number): YamlNode | undefined {
    if (depth > maxDepth || this.#isOver()) return undefined;
    return this.#isItem() ? this.#list(depth) : this.#map(depth);
  }

  #map(depth: number): YamlNode | undefined {
    const entries: YamlEntry[] = [];
    const start = this.#at;
    const column = this.#column;
    while (!this.#isOver() && this.#column === column) {
      const key = this.#key();
      if (!key || entries.some(({ key: { source } }) => source === key.source)) return undefined;
      const value = this.#valueOf(key, column, depth);
      if (!value) return undefined;
      entries.push({ key, value });
    }
    return { kind: 'map', start, end: this.#end, entries, flow: false };
  }

  #key(): YamlScalar | undefined {
    keyForm.lastIndex = this.#at;
    const name = keyForm.exec(this.#text)?.[1];
    if (name === undefined || wordForm.test(name)) return undefined;
    return { kind: 'scalar', start: this.#at, end: this.#at + name.length, value: name, source: name };
  }

  #valueOf(key: YamlScalar, column: number, depth: number): YamlNode | undefined {
    const text = this.#text;
    let at = key.end + 1;
    while (text[at] === ' ') at++;
    if (at < text.length && text[at] !== '\n') return this.#oneLine(at, depth === 1 ? column : 0);
    this.#toLine(at);
    const isBelow = this.#column > column || (this.#column === column && this.#isItem());
    if (isBelow) return this.#comment > this.#column ? undefined : this.#block(depth + 1);
    // The last field of all takes the comments behind it.
    const isLast = this.#isOver() && depth === 0;
    if (!isLast && (this.#comment > column || (this.#comment >= 0 && (this.#isOver() || this.#column < column))))
      return undefined;
    this.#end = isLast && this.#comment >= 0 ? text.length : at;
    return { kind: 'scalar', start: at, end: at, value: null, source: '' };
  }

  #list(depth: number): YamlNode | undefined {
    const text = this.#text;
    const items: YamlNode[] = [];
    const start = this.#at;
    const column = this.#column;
    while (!this.#isOver() && this.#column === column && this.#isItem()) {
      let at = this.#at + 1;
      while (text[at] === ' ') at++;
      keyForm.lastIndex = at;
      let item: YamlNode | undefined;
      if (keyForm.test(text)) {
        this.#column += at - this.#at;
        this.#at = at;
        item = depth < maxDepth ? this.#map(depth + 1) : undefined;
      } else item = this.#oneLine(at, 0);
      if (!item) return undefined;
      items.push(item);
    }
    return { kind: 'list', start, end: this.#end, items, flow: false };
  }

  /**
   * A value with nothing behind it on its line. Comments below it that are further in than what follows change where collections end; up
   * to `mayBeAt` they do not, if the next field of the root follows.
   */
  #oneLine(at: number, mayBeAt: number): YamlNode | undefined {
    const value = this.#value(at);
    if (!value) return undefined;
    restForm.lastIndex = value.end;
    if (!restForm.test(this.#text)) return undefined;
    this.#end = restForm.lastIndex;
    this.#toLine(this.#end);
    const isHarmless = this.#column === 0 && !this.#isOver() && this.#comment <= mayBeAt;
    return this.#comment <= this.#column || isHarmless ? value : undefined;
  }

  #value(start: number): YamlNode | undefined {
    const text = this.#text;
    quotedForm.lastIndex = start;
    const quoted = quotedForm.exec(text);
    if (quoted) {
      const value = quoted[1] ?? quoted[2] ?? '';
      return { kind: 'scalar', start, end: quotedForm.lastIndex, value, source: value };
    }
    if (text[start] === '[') return this.#flowList(start);
    if (text.startsWith('{}', start)) return { kind: 'map', start, end: start + 2, entries: [], flow: true };
    plainForm.lastIndex = start;
    const line = plainForm.exec(text)?.[0];
    if (line === undefined) return undefined;
    const comment = line.indexOf(' #');
    const source = (comment < 0 ? line : line.slice(0, comment)).trimEnd();
    return source.includes(': ') || source.endsWith(':') ? undefined : plainScalar(source, start);
  }

  #flowList(start: number): YamlNode | undefined {
    const text = this.#text;
    flowListForm.lastIndex = start;
    if (!flowListForm.test(text)) return undefined;
    const end = flowListForm.lastIndex;
    const items: YamlNode[] = [];
    const skip = (from: number) => {
      let at = from;
      while (text[at] === ' ') at++;
      return at;
    };
    for (let at = skip(start + 1); at < end - 1; ) {
      flowItem.lastIndex = at;
      const [, word, ...quoted] = flowItem.exec(text) ?? [];
      const behind = flowItem.lastIndex;
      const value = word ?? quoted[0] ?? quoted[1];
      if (value === undefined) return undefined;
      const item: YamlNode | undefined =
        word === undefined ? { kind: 'scalar', start: at, end: behind, value, source: value } : plainScalar(word, at);
      if (!item) return undefined;
      items.push(item);
      at = skip(behind);
      if (at === end - 1) break;
      if (text[at] !== ',') return undefined;
      at = skip(at + 1);
      if (at === end - 1) return undefined;
    }
    return { kind: 'list', start, end, items, flow: true };
  }
}

function plainScalar(source: string, start: number): YamlScalar | undefined {
  const scalar = (value: YamlScalar['value']): YamlScalar => ({
    kind: 'scalar',
    start,
    end: start + source.length,
    value,
    source,
  });
  const word = wordForm.exec(source);
  if (word) return scalar(word[1] === undefined ? word[2] !== undefined : null);
  const first = source.charCodeAt(0);
  if (first < 48 || first > 57 || dateForm.test(source)) return scalar(source);
  return numberForm.test(source) ? scalar(Number(source)) : undefined;
}
