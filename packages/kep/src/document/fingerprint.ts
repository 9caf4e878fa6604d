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
  return (one >>> 0).toString(36) + (other >>> 0).toString(36);
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
 * @param among the first hashes of the prints that matter; undefined is returned for most lines whose print is not one of them
 */
export function comparablePrint(line: string): string;
export function comparablePrint(line: string, among: ReadonlySet<number>): string | undefined;
export function comparablePrint(line: string, among?: ReadonlySet<number>): string | undefined {
  let at = 0;
  let end = line.length;
  while (line.charCodeAt(at) === blank) at++;
  while (end > at && line.charCodeAt(end - 1) === blank) end--;
  if (at + 1 < end && '-*+'.includes(line[at] ?? '') && line[at + 1] === ' ') at = behindBlanks(line, at + 1);
  if (line[at] === '[') {
    if (line[at + 1] === ']') at = behindBlanks(line, at + 2);
    else if (' xX'.includes(line[at + 1] ?? '-') && line[at + 2] === ']') at = behindBlanks(line, at + 3);
  }
  const one = comparableHash(line, at, end, firstOne, 0x01000193);
  if (one === undefined) return printOf(comparableLine(line));
  if (at >= end) return '';
  if (among && !among.has(one)) return undefined;
  const other = comparableHash(line, at, end, firstOther, 0x85ebca6b) ?? 0;
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
export function firstHashes(prints: Iterable<string>): ReadonlySet<number> {
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
  while (line.charCodeAt(at) === blank) at++;
  return at;
}
