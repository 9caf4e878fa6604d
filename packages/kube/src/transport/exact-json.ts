/**
 * JSON as Go reads and writes it: integers of 64 bits keep all their digits. Those that a number holds exactly are
 * numbers; the others, beyond 2^53, are bigints. Most texts have none, and cost no more than `JSON` does.
 */

/** @throws SyntaxError as `JSON.parse` does */
export function parseJson(text: string): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text);
  const mark = markMissingIn(JSON.stringify(JSON.parse(text)));
  let found = false;
  const marked = text.replace(tokens, (token) => {
    if (!isLarge(token)) return token;
    found = true;
    return `"${mark}${token}"`;
  });
  const value: unknown = JSON.parse(found ? marked : text);
  if (!found) return value;
  return replaceTexts(value, (one) => (one.startsWith(mark) ? BigInt(one.slice(mark.length)) : one));
}

/** @param indent spaces per level, for people; none when absent */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError) || !holdsBigint(value)) throw error;
  }
  const plain = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? '' : part));
  const mark = markMissingIn(plain);
  const marked = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${mark}${part}` : part), indent);
  return marked.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

/** An integer as JSON values hold it: a bigint when a number would lose digits, and a number beyond 64 bits. */
export function exactInteger(digits: bigint): number | bigint {
  const isSafe = Number.isSafeInteger(Number(digits));
  return isSafe || digits !== BigInt.asIntN(64, digits) ? Number(digits) : digits;
}

const shortestLong = 16;
/** Texts, so that digits within them are left alone, and numbers. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d[-+.\deE]*/g;

/** Whether there are sixteen digits in a row: of so many, one has an index that is a multiple of sixteen. */
function hasLongNumber(text: string): boolean {
  for (let at = shortestLong - 1; at < text.length; at += shortestLong) {
    if (!isDigitAt(text, at)) continue;
    let first = at;
    while (isDigitAt(text, first - 1)) first--;
    let last = at;
    while (isDigitAt(text, last + 1)) last++;
    if (last - first + 1 >= shortestLong) return true;
  }
  return false;
}

function markMissingIn(text: string): string {
  let mark = '~';
  while (text.includes(mark)) mark += '~';
  return mark;
}

function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

/** Beyond nineteen digits are no 64 bits, and reading millions of them takes seconds. */
function isLarge(token: string): boolean {
  return /^-?\d{16,19}$/.test(token) && typeof exactInteger(BigInt(token)) === 'bigint';
}

function replaceTexts(value: unknown, replace: (text: string) => unknown): unknown {
  if (typeof value === 'string') return replace(value);
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, part] of Object.entries(value)) {
    const replaced = replaceTexts(part, replace);
    if (replaced === part) continue;
    Object.defineProperty(value, key, { value: replaced, enumerable: true, configurable: true, writable: true });
  }
  return value;
}

function holdsBigint(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsBigint);
}
