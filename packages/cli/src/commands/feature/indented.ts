/** A text two columns to the right. */
export function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
