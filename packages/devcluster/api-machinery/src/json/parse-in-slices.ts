import { parseJson } from '@slipway/kube';
import type { Resumable } from '../event-loop/resumable.js';
import { deepFreeze, setOwn } from './json-value.js';

/** A parsed text. `names` counts the names in it; fewer than there are when one is given twice in an object. */
export interface ParsedJson {
  readonly value: unknown;
  readonly names: number;
}

/** Characters parsed between two yields: about a millisecond of work. */
const sliceLength = 32 * 1024;

/**
 * Parses JSON as `parseJson` does, and yields. Objects and lists whose text is longer than a slice are put together of
 * parts that are parsed one after the other.
 *
 * @param isFrozen whether the value is frozen with all that is in it
 * @throws SyntaxError, whose message does not say where
 */
export function* parsingJson(text: string, { isFrozen = false, length = sliceLength } = {}): Resumable<ParsedJson> {
  if (text.length <= length) {
    const value = parseJson(text);
    if (isFrozen) deepFreeze(value);
    return { value, names: namesIn(value) };
  }
  return yield* new SliceParser(text, isFrozen, length).parse();
}

/** An object or list that is open at the place in the text that was reached. */
interface Container {
  readonly isList: boolean;
  /** Index of its bracket. */
  readonly start: number;
  /** Where the members begin that were not parsed yet. */
  from: number;
  /** Where the member begins that was reached. */
  member: number;
  /** What was parsed of it; undefined until it turns out to be long. */
  value: Record<string, unknown> | unknown[] | undefined;
  /** The name of the member that was reached, when its value is long. */
  name: string;
  /** Whether the value of the member that was reached is complete, so that only a comma or the end may follow. */
  isMemberParsed: boolean;
}

class SliceParser {
  readonly #text: string;
  readonly #isFrozen: boolean;
  readonly #length: number;
  readonly #open: Container[] = [];
  #names = 0;
  #start: number | undefined;
  #end = 0;
  #root: unknown;

  constructor(text: string, isFrozen: boolean, length: number) {
    this.#text = text;
    this.#isFrozen = isFrozen;
    this.#length = length;
  }

  *parse(): Resumable<ParsedJson> {
    const text = this.#text;
    let yieldedAt = 0;
    for (let at = 0; at < text.length; at++) {
      switch (text.charCodeAt(at)) {
        case 0x22:
          at = closingQuote(text, at);
          break;
        case 0x7b:
        case 0x5b:
          this.#begin(at);
          break;
        case 0x2c:
          this.#comma(at);
          break;
        case 0x7d:
        case 0x5d:
          this.#finish(at);
          break;
      }
      if (at - yieldedAt >= this.#length) {
        yieldedAt = at;
        yield;
      }
    }
    if (this.#open.length > 0) throw new SyntaxError('unexpected end of JSON');
    if (this.#root === undefined) {
      const value = parseJson(text);
      if (this.#isFrozen) deepFreeze(value);
      return { value, names: namesIn(value) };
    }
    requireBlank(text.slice(0, this.#start));
    requireBlank(text.slice(this.#end));
    return { value: this.#root, names: this.#names };
  }

  #begin(at: number): void {
    const outer = this.#open.at(-1);
    if (outer ? outer.isMemberParsed : this.#start !== undefined) throw new SyntaxError('unexpected value in JSON');
    if (!outer) this.#start = at;
    this.#open.push({
      isList: this.#text[at] === '[',
      start: at,
      from: at + 1,
      member: at + 1,
      value: undefined,
      name: '',
      isMemberParsed: false,
    });
  }

  #comma(at: number): void {
    const container = this.#open.at(-1);
    if (!container) throw new SyntaxError('unexpected comma in JSON');
    if (container.isMemberParsed) this.#parseUpTo(container, at);
    else if (at - container.from >= this.#length) {
      this.#startLong();
      this.#parseUpTo(container, at);
    }
    container.member = at + 1;
    container.isMemberParsed = false;
  }

  #finish(at: number): void {
    const container = this.#open.pop();
    if (container?.isList !== (this.#text[at] === ']')) throw new SyntaxError('unexpected bracket in JSON');
    const { value } = container;
    if (!value) return;
    this.#parseUpTo(container, at);
    if (this.#isFrozen) Object.freeze(value);
    const outer = this.#open.at(-1);
    if (outer) {
      this.#put(outer, outer.name, value);
      outer.isMemberParsed = true;
      outer.from = at + 1;
    } else {
      this.#root = value;
      this.#end = at + 1;
    }
  }

  /** The innermost container is long, and so are all around it. */
  #startLong(): void {
    for (const [depth, container] of this.#open.entries()) {
      container.value ??= container.isList ? [] : {};
      const inner = this.#open[depth + 1];
      if (!inner || inner.value) continue;
      if (container.member > container.from) this.#parseUpTo(container, container.member - 1);
      container.name = nameIn(this.#text.slice(container.member, inner.start), container.isList);
    }
  }

  /** Parses the members of a long container up to a comma or its end. */
  #parseUpTo(container: Container, end: number): void {
    const members = this.#text.slice(container.from, end);
    container.from = end + 1;
    if (container.isMemberParsed) {
      requireBlank(members);
      return;
    }
    if (isBlank(members)) throw new SyntaxError('missing member in JSON');
    const parts = parseJson(container.isList ? `[${members}]` : `{${members}}`) as Record<string, unknown>;
    for (const name of Object.keys(parts)) {
      const part = parts[name];
      if (this.#isFrozen) deepFreeze(part);
      this.#names += namesIn(part);
      this.#put(container, name, part);
    }
  }

  #put({ value, isList }: Container, name: string, part: unknown): void {
    if (isList) (value as unknown[]).push(part);
    else {
      const fields = value as Record<string, unknown>;
      if (!Object.hasOwn(fields, name)) this.#names++;
      setOwn(fields, name, part);
    }
  }
}

/** The name before a value that begins where `text` ends; '' in a list, where nothing is before a value. */
function nameIn(text: string, isList: boolean): string {
  if (isList) {
    requireBlank(text);
    return '';
  }
  const name = text.trimEnd();
  const parsed: unknown = name.endsWith(':') ? JSON.parse(name.slice(0, -1)) : undefined;
  if (typeof parsed !== 'string') throw new SyntaxError('missing name in JSON');
  return parsed;
}

function isBlank(text: string): boolean {
  return /^[ \t\n\r]*$/.test(text);
}

function requireBlank(text: string): void {
  if (!isBlank(text)) throw new SyntaxError('unexpected text in JSON');
}

/** Index of the quote that ends the string opened at `at`, or the end of the text. */
export function closingQuote(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === 0x5c) first--;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}

/** How many names the objects in a value have. */
function namesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) count += namesIn(element);
    return count;
  }
  for (const name of Object.keys(value)) count += 1 + namesIn((value as Record<string, unknown>)[name]);
  return count;
}
