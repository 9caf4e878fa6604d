/** A text as Go's `%q` prints it: control characters that have no letter of their own are `\\x00`. */
export function goQuoted(text: string): string {
  return JSON.stringify(text)
    .replace(/\\(?:u00([01][0-9a-f])|.)/g, (whole, code: string | undefined) => {
      if (code === undefined) return whole;
      return code === '07' ? '\\a' : code === '0b' ? '\\v' : `\\x${code}`;
    })
    .replaceAll('\u007f', '\\x7f');
}
