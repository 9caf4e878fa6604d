/** Whether a text has only blanks and visible characters of ASCII, for which classes of Unicode, slow to compile and to match, are not needed. */
export function isPrintableAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
