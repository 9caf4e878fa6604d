/** A text that is no YAML, or more of it than is good. `line` and `column` count from 1. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** What is wrong, without the place. */
  readonly problem: string;
  readonly line: number;
  readonly column: number;

  constructor(problem: string, at: { line: number; column: number }, options?: ErrorOptions) {
    super(`line ${at.line}, column ${at.column}: ${problem}`, options);
    this.problem = problem;
    this.line = at.line;
    this.column = at.column;
  }
}

/** The line and column of an offset in a text, both counted from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}
