/** Runs of characters that UTF-8 read as Windows-1252 looks like. */
export const mojibakeForm =
  /(?:[ÂÃ][\u0080-\u00bf\u20ac\u201a-\u2122]|â[\u0080-\u00bf\u20ac\u201a-\u2122\u0192\u0152-\u0178\u02c6\u02dc\u2013-\u203a]{2}|ð\u0178[\u0080-\u2122]{2})/gu;

/** The characters of Windows-1252 between 0x80 and 0x9f; those it leaves undefined stand for themselves. */
const upper =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Restores text that was decoded as Windows-1252; undefined for any other text. */
export function repairMojibake(text: string): string | undefined {
  const bytes: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const at = upper.indexOf(char);
    if (at >= 0) bytes.push(0x80 + at);
    else if (code <= 0xff) bytes.push(code);
    else return undefined;
  }
  try {
    const meant = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
    return meant.length < text.length ? meant : undefined;
  } catch {
    return undefined;
  }
}
