/**
 * The `Warning` header of a text, as RFC 7234 has it and Kubernetes writes it.
 * Undefined for a text with control characters, which no header can carry.
 */
function warningHeader(text: string): string | undefined {
  for (const character of text) if ((character < ' ' && character !== '\t') || character === '\x7f') return undefined;
  const quoted = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  // Headers are bytes; other than ASCII goes as UTF-8.
  return `299 - "${Buffer.from(quoted).toString('latin1')}"`;
}

/** Characters of all warnings of an answer, and of one of them once all are longer together. */
const mostOfAll = 4_096;
const mostOfOne = 256;

/** The `Warning` headers of an answer, cut as Kubernetes cuts them: clients refuse headers that are too large. */
export function warningHeaders(texts: readonly string[]): readonly string[] {
  const whole = texts.flatMap((text) => (warningHeader(text) === undefined ? [] : [[...text]]));
  const isCut = whole.reduce((sum, { length }) => sum + length, 0) > mostOfAll;
  const headers: string[] = [];
  let written = 0;
  for (const characters of whole) {
    if (written >= mostOfAll) break;
    const shown = isCut ? characters.slice(0, mostOfOne) : characters;
    written += shown.length;
    headers.push(warningHeader(shown.join('')) ?? '');
  }
  return headers;
}
