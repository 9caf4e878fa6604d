/** A selector that cannot be read. The message is the one API servers give. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}
