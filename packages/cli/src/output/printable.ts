/** Control characters (C0, DEL, C1), and characters that reorder or hide their neighbours: bidi controls, zero widths, tags. */
const unsafe = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * Makes a string from outside (a title, an image name, a message of the API server) safe for a terminal: escape sequences
 * and the like are shown as their code, such as `\x1b`. Line feeds and tabs stay.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(unsafe, (sign) => (sign === '\n' || sign === '\t' ? sign : codeOf(sign.codePointAt(0) ?? 0)));
}

/** Makes a string safe for one line, such as the cell of a table: `printable`, with any white space as one blank. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}

function codeOf(point: number): string {
  return point < 0x100 ? `\\x${point.toString(16).padStart(2, '0')}` : `\\u{${point.toString(16)}}`;
}
