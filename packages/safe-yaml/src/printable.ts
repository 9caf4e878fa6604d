/**
 * Control characters (C0, DEL, C1) but line feeds and tabs, and characters that reorder or hide their neighbours: bidi
 * controls, zero widths, annotations, tags.
 */
const unsafe =
  /(?![\n\t])[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Matches wherever `unsafe` does, in a third of the time: it says what is harmless, and knows no pairs. Tags begin with U+DB40. */
const maybeUnsafe =
  /[^\n\t -~\u00a0-\u061b\u061d-\u200a\u200c-\u200d\u2010-\u2027\u202f-\u205f\u206a-\udb3f\udb41-\ufefe\uff00-\ufff8\ufffc-\uffff]/;

/**
 * Makes a string from outside (a title, an image name, a message of the API server) safe for a terminal: escape sequences
 * and the like are shown as their code, such as `\x1b`. Line feeds and tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unsafe, (sign) => codeOf(sign.codePointAt(0) ?? 0));
}

/** Makes a string safe for one line, such as the cell of a table: `printable`, with any white space as one blank. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}

/** Makes JSON safe for a terminal: what one acts on is written as `\u009b`, so that it is the same once it is parsed. */
export function printableJson(json: string): string {
  // Reports of megabytes hold none of them.
  return maybeUnsafe.test(json) ? json.replace(unsafe, escaped) : json;
}

/** Whether a string holds something that a terminal acts on; line feeds and tabs do not count. */
export function isPrintable(text: string): boolean {
  return text.search(unsafe) < 0;
}

function codeOf(point: number): string {
  return point < 0x100 ? `\\x${point.toString(16).padStart(2, '0')}` : `\\u{${point.toString(16)}}`;
}

/** `\u009b`; two of them for a character beyond U+FFFF. */
function escaped(sign: string): string {
  return sign
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
