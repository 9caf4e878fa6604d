const firstOne = 0x811c9dc5;
const firstOther = 0x1b873593;

/**
 * A short name for a text: two 32-bit FNV-1a hashes with different starts, in base 36.
 * Not for secrets. Used where two texts only have to be recognised as equal.
 */
export function fingerprint(text: string): string {
  let one = firstOne;
  let other = firstOther;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b);
  }
  return inBase36(one, other);
}

/** A line as scaffolds are compared: no list mark, no box, single blanks, lower case. */
export function comparableLine(line: string): string {
  return line
    .trim()
    .replace(/^(?:[-*+]\s+)?(?:\[[ xX]?\]\s*)?/, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

const blank = 32;

/**
 * The fingerprint of a line as scaffolds are compared, or an empty text for one that says nothing. Almost all lines are ASCII, of
 * which it is found in one pass and without another text.
 */
export function comparablePrint(line: string): string {
  const end = comparableEnd(line);
  const at = comparableStart(line, end);
  const one = firstHash(line, at, end);
  if (one === undefined) return printOf(comparableLine(line));
  return at >= end ? '' : inBase36(one, otherHash(line, at, end));
}

/** Fingerprints of lines, for looking whether many others have one of them. */
export class KnownPrints {
  readonly #prints: ReadonlySet<string>;
  /** Whether one may begin with a hash, by the last 16 bits of that: few lines of a proposal get further. */
  readonly #mayBegin = new Uint8Array(0x10000);
  /** Other hashes by the first, of lines that were found. */
  readonly #found = new Map<number, number>();

  constructor(prints: ReadonlySet<string>) {
    this.#prints = prints;
    for (const hash of firstHashes(prints)) this.#mayBegin[hash & 0xffff] = 1;
  }

  /** Whether a line says nothing, or its fingerprint is one of these. */
  has(line: string): boolean {
    const end = comparableEnd(line);
    const at = comparableStart(line, end);
    const one = firstHash(line, at, end);
    if (one === undefined) return this.#hasPrint(printOf(comparableLine(line)));
    if (at >= end) return true;
    if (this.#mayBegin[one & 0xffff] === 0) return false;
    const other = otherHash(line, at, end);
    if (this.#found.get(one) === other) return true;
    const isKnown = this.#hasPrint(inBase36(one, other));
    if (isKnown) this.#found.set(one, other);
    return isKnown;
  }

  #hasPrint(print: string): boolean {
    return print === '' || this.#prints.has(print);
  }
}

function comparableEnd(line: string): number {
  let end = line.length;
  while (end > 0 && line.charCodeAt(end - 1) === blank) end--;
  return end;
}

/** Behind blanks, the mark of a list and a box. */
function comparableStart(line: string, end: number): number {
  let at = behindBlanks(line, 0);
  if (at + 1 < end && '-*+'.includes(line[at] ?? '') && line[at + 1] === ' ') at = behindBlanks(line, at + 1);
  if (line[at] === '[') {
    if (line[at + 1] === ']') return behindBlanks(line, at + 2);
    if (' xX'.includes(line[at + 1] ?? '-') && line[at + 2] === ']') return behindBlanks(line, at + 3);
  }
  return at;
}

function firstHash(line: string, at: number, end: number): number | undefined {
  return comparableHash(line, at, end, firstOne, 0x01000193);
}

function otherHash(line: string, at: number, end: number): number {
  return comparableHash(line, at, end, firstOther, 0x85ebca6b) ?? 0;
}

function inBase36(one: number, other: number): string {
  return (one >>> 0).toString(36) + (other >>> 0).toString(36);
}

/** One hash of a stretch of a line, in lower case and with single blanks; undefined when it is not ASCII. */
function comparableHash(line: string, at: number, end: number, first: number, factor: number): number | undefined {
  let hash = first;
  let isBehindBlank = false;
  for (let place = at; place < end; place++) {
    let code = line.charCodeAt(place);
    if (code < blank || code > 126) return undefined;
    if (code === blank && isBehindBlank) continue;
    isBehindBlank = code === blank;
    if (code >= 65 && code <= 90) code += 32;
    hash = Math.imul(hash ^ code, factor);
  }
  return hash;
}

const maxDigits = 7;
const maxHash = 2 ** 32;

/** The first hash of each print, and of every other pair of hashes that is written in the same way. */
function firstHashes(prints: Iterable<string>): Iterable<number> {
  const found = new Set<number>();
  for (const print of prints) {
    for (
      let digits = Math.max(1, print.length - maxDigits);
      digits <= Math.min(maxDigits, print.length - 1);
      digits++
    ) {
      const one = Number.parseInt(print.slice(0, digits), 36);
      if (one < maxHash) found.add(one | 0);
    }
  }
  return found;
}

function printOf(comparable: string): string {
  return comparable === '' ? '' : fingerprint(comparable);
}

function behindBlanks(line: string, from: number): number {
  let at = from;
  while (at < line.length && line.charCodeAt(at) === blank) at++;
  return at;
}
