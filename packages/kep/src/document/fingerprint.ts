/**
 * A short name for a text: two 32-bit FNV-1a hashes with different starts, in base 36.
 * Not for secrets. Used where two texts only have to be recognised as equal.
 */
export function fingerprint(text: string): string {
  let one = 0x811c9dc5;
  let other = 0x1b873593;
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
