/**
 * The `Warning` header of a text, as RFC 7234 has it and Kubernetes writes it.
 * Undefined for a text with control characters, which no header can carry.
 */
export function warningHeader(text: string): string | undefined {
  for (const character of text) if ((character < ' ' && character !== '\t') || character === '\x7f') return undefined;
  const quoted = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  // Headers are bytes; other than ASCII goes as UTF-8.
  return `299 - "${Buffer.from(quoted).toString('latin1')}"`;
}
