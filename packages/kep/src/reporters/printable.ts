/** Text from a document as a terminal may show it: without control characters, line ends as blanks. */
export function printable(text: string): string {
  return text.replace(/[\r\n\t]+/g, ' ').replace(/\p{Cc}|\p{Cf}/gu, '\u00b7');
}
