/** Trying again will not help until the object changes. Thrown by a reconciler to be left alone until then. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}
