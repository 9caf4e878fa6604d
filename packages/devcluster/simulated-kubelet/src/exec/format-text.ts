const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', a: '\x07', b: '\b' };

/** A text with its escapes, such as `\n` and `\033`, as `echo -e` writes it. */
export function unescaped(text: string): string {
  return text.replace(/\\(?:0?([0-7]{1,3})|x([0-9a-fA-F]{1,2})|([\s\S]))/g, (all, octal, hex, letter) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    return hex !== undefined ? String.fromCharCode(Number.parseInt(hex, 16)) : (escapes[letter] ?? all);
  });
}

/** A format of `printf` filled in: it is repeated until no values are left. */
export function formatted(format: string, values: readonly string[]): string {
  const left = [...values];
  let text = '';
  do {
    const before = left.length;
    text += unescaped(format).replace(/%(%|-?\d*[sdbc])/g, (_, directive: string) => fill(directive, left));
    if (left.length === before) break;
  } while (left.length > 0);
  return text;
}

function fill(directive: string, left: string[]): string {
  if (directive === '%') return '%';
  const value = left.shift() ?? '';
  const width = Math.min(1024, Math.abs(Number.parseInt(directive, 10) || 0));
  const shown = directive.endsWith('d')
    ? String(Number.parseInt(value, 10) || 0)
    : directive.endsWith('b')
      ? unescaped(value)
      : value;
  return directive.startsWith('-') ? shown.padEnd(width) : shown.padStart(width);
}
