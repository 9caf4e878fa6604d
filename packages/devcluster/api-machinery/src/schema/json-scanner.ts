import { isUtf8 } from 'node:buffer';
import { type Resumable, runToCompletion } from '../event-loop/resumable.js';
import { closingQuote, type ParsedJson, parsingJson } from '../json/parse-in-slices.js';

/** A body is not JSON that this server reads. The message is that of Go's decoder. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

export interface JsonDocument {
  readonly value: unknown;
  /** Paths of names given more than once in one object, as in `spec.ports[1].port`, in order of appearance. */
  readonly duplicates: readonly string[];
  /** Elements and fields in it, those of all objects and lists within included. */
  readonly parts: number;
}

/** Far below what the stack holds, far above what any object needs. */
const depthLimit = 1_000;
const duplicateLimit = 100;
/**
 * Far above what any object needs, though an object of the maximum size could have more. Every step of a request takes
 * time for each value of its object, and blocks other requests.
 */
export const valueLimit = 100_000;

/**
 * Reads a JSON body: `JSON.parse`, which of duplicate names keeps the last and
 * says nothing, plus what it does not do. A name that only counting can tell
 * apart is looked for only when the text has more names than the value.
 *
 * The name `__proto__` is one like any other: who copies it must not assign it, which would set a prototype.
 * @throws JsonError
 */
export function readJson(body: Uint8Array | string): JsonDocument {
  return runToCompletion(readingJson(body, Number.POSITIVE_INFINITY));
}

/** The same for large bodies, and yields after every `length` characters. @throws JsonError */
export function* readingJson(body: Uint8Array | string, length?: number): Resumable<JsonDocument> {
  const text = yield* withoutLoneSurrogates(typeof body === 'string' ? body : decodeUtf8(body));
  yield;
  const { names: named, parts } = countNames(text);
  yield;
  let parsed: ParsedJson;
  try {
    parsed = yield* parsingJson(text, { ...(length !== undefined && { length }) });
  } catch (cause) {
    new Scanner(text).scan();
    throw new JsonError('unexpected end of JSON input', { cause });
  }
  const { value, names } = parsed;
  return { value, duplicates: names === named ? [] : new Scanner(text).scan(), parts };
}

/** Finds the places of the names of a JSON text, by their paths; of one that is there twice, the last. @throws JsonError */
export function namePlaces(text: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  new Scanner(text, places).scan();
  return places;
}

/** Escapes of JSON: a pair of surrogates, half a pair, or anything else. */
const escapes =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|[\s\S])/g;

/** Replaces half a pair of surrogates, in whose place Go reads U+FFFD. Yields. */
function* withoutLoneSurrogates(text: string): Resumable<string> {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return text;
  const parts: string[] = [];
  let [copied, looks] = [0, 0];
  for (const { 0: whole, 1: lone, index } of text.matchAll(escapes)) {
    if (++looks % escapesAtOnce === 0) yield;
    if (lone === undefined) continue;
    parts.push(text.slice(copied, index), '\\ufffd');
    copied = index + whole.length;
  }
  return copied === 0 ? text : parts.join('') + text.slice(copied);
}

const escapesAtOnce = 4_096;

function decodeUtf8(body: Uint8Array): string {
  if (!isUtf8(body)) throw new JsonError('invalid UTF-8 in JSON input');
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/**
 * Counts the names and parts in a text that may not even be JSON, and refuses what is nested too deep or would hold too
 * much.
 */
function countNames(text: string): { readonly names: number; readonly parts: number } {
  let names = 0;
  let depth = 0;
  let separators = 0;
  let filled = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = closingQuote(text, at);
        break;
      case 0x3a:
        names++;
        break;
      case 0x7b:
      case 0x5b:
        if (++depth > depthLimit) throw new JsonError('exceeded max depth');
        if (!closesAt(text, at + 1)) filled++;
        break;
      case 0x2c:
        if (++separators > valueLimit) throw new JsonError('exceeded max number of values');
        break;
      case 0x7d:
      case 0x5d:
        depth--;
        break;
    }
  }
  return { names, parts: separators + filled };
}

/** Whether an object or a list ends here, but for spaces. */
function closesAt(text: string, at: number): boolean {
  let next = text.charCodeAt(at);
  for (let end = at; next === 0x20 || next === 0x0a || next === 0x0d || next === 0x09; next = text.charCodeAt(end))
    end++;
  return next === 0x7d || next === 0x5d;
}

/** Reads JSON by its grammar, only to say what is wrong with it or which names it has twice. */
class Scanner {
  readonly #text: string;
  readonly #duplicates = new Set<string>();
  readonly #places: Map<string, number> | undefined;
  #at = 0;

  constructor(text: string, places?: Map<string, number>) {
    this.#text = text;
    this.#places = places;
  }

  /** @throws JsonError at the first character that does not belong */
  scan(): readonly string[] {
    this.#value('');
    this.#space();
    if (this.#at < this.#text.length) this.#unexpected('after top-level value');
    return [...this.#duplicates];
  }

  #value(path: string): void {
    this.#space();
    const first = this.#text[this.#at];
    if (first === '{') this.#object(path);
    else if (first === '[') this.#array(path);
    else if (first === '"') this.#string();
    else if (first === 't') this.#literal('true');
    else if (first === 'f') this.#literal('false');
    else if (first === 'n') this.#literal('null');
    else if (first === '-' || isDigit(first)) this.#number();
    else this.#unexpected('looking for beginning of value');
  }

  #object(path: string): void {
    this.#at++;
    this.#space();
    if (this.#takes('}')) return;
    const seen = new Set<string>();
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#unexpected('looking for beginning of object key string');
      const start = this.#at;
      this.#string();
      const quoted = this.#text.slice(start, this.#at);
      const name = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
      const inside = path === '' ? name : `${path}.${name}`;
      if (seen.has(name) && this.#duplicates.size < duplicateLimit) this.#duplicates.add(inside);
      seen.add(name);
      this.#places?.set(inside, start);
      this.#space();
      if (!this.#takes(':')) this.#unexpected('after object key');
      this.#value(inside);
      this.#space();
      if (this.#takes('}')) return;
      if (!this.#takes(',')) this.#unexpected('after object key:value pair');
    }
  }

  #array(path: string): void {
    this.#at++;
    this.#space();
    if (this.#takes(']')) return;
    for (let index = 0; ; index++) {
      this.#value(`${path}[${index}]`);
      this.#space();
      if (this.#takes(']')) return;
      if (!this.#takes(',')) this.#unexpected('after array element');
    }
  }

  #string(): void {
    for (this.#at++; ; this.#at++) {
      const character = this.#text[this.#at];
      if (character === '"') break;
      if (character === undefined || character < ' ') this.#unexpected('in string literal');
      if (character === '\\') this.#escape();
    }
    this.#at++;
  }

  #escape(): void {
    this.#at++;
    const character = this.#text[this.#at] ?? '';
    if (character === '' || !'bfnrt"\\/u'.includes(character)) this.#unexpected('in string escape code');
    if (character !== 'u') return;
    for (let digit = 0; digit < 4; digit++) {
      this.#at++;
      if (!/^[0-9a-fA-F]$/.test(this.#text[this.#at] ?? '')) this.#unexpected('in \\u hexadecimal character escape');
    }
  }

  #number(): void {
    this.#takes('-');
    if (!isDigit(this.#text[this.#at])) this.#unexpected('in numeric literal');
    if (!this.#takes('0')) this.#digits();
    if (this.#takes('.')) {
      if (!isDigit(this.#text[this.#at])) this.#unexpected('after decimal point in numeric literal');
      this.#digits();
    }
    if (this.#takes('e') || this.#takes('E')) {
      if (!this.#takes('+')) this.#takes('-');
      if (!isDigit(this.#text[this.#at])) this.#unexpected('in exponent of numeric literal');
      this.#digits();
    }
  }

  #digits(): void {
    while (isDigit(this.#text[this.#at])) this.#at++;
  }

  #literal(word: string): void {
    for (const letter of word) {
      if (!this.#takes(letter)) this.#unexpected(`in literal ${word} (expecting '${letter}')`);
    }
  }

  #takes(character: string): boolean {
    const here = this.#text[this.#at] === character;
    if (here) this.#at++;
    return here;
  }

  #space(): void {
    for (; ; this.#at++) {
      const character = this.#text[this.#at];
      if (character !== ' ' && character !== '\n' && character !== '\t' && character !== '\r') return;
    }
  }

  #unexpected(where: string): never {
    const character = this.#text.codePointAt(this.#at) ?? (endsAsSpace(where) ? 0x20 : undefined);
    if (character === undefined) throw new JsonError('unexpected end of JSON input');
    throw new JsonError(`invalid character ${quotedByte(character)} ${where}`);
  }
}

/** At the end Go's decoder tries a space, which belongs neither into a word nor into a number or an escape. */
function endsAsSpace(where: string): boolean {
  return /^(?:in literal|in numeric|after decimal|in exponent|in string escape|in \\u)/.test(where);
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

/** As Go prints the byte it stumbled over, which of other than ASCII is only the first of the character. */
function quotedByte(character: number): string {
  const byte = Buffer.from(String.fromCodePoint(character), 'utf8')[0] as number;
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return "'\"'";
  if (byte < 0x20 || byte === 0x7f) {
    const short = { 7: 'a', 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r' }[byte];
    return short === undefined ? `'\\x${byte.toString(16).padStart(2, '0')}'` : `'\\${short}'`;
  }
  return byte === 0x5c ? "'\\\\'" : `'${String.fromCharCode(byte)}'`;
}
