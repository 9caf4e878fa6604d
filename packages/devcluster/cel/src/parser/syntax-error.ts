/** Something wrong with an expression, and where: an offset into its text. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** The string is not an expression. */
export class CelSyntaxError extends Error {
  override readonly name = 'CelSyntaxError';
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** A hostile expression has thousands of mistakes in one long line, and each is shown with its line. */
const longestText = 20_000;

/** Issues as the API server words them: each with its line, and a mark under its place. */
export function describeIssues(source: string, issues: readonly Issue[]): string {
  const texts: string[] = [];
  let length = 0;
  for (const issue of [...issues].sort((a, b) => a.at - b.at)) {
    const text = describe(source, issue);
    length += text.length;
    if (texts.length > 0 && length > longestText) break;
    texts.push(text);
  }
  return texts.join('\n');
}

function describe(source: string, { at, message }: Issue): string {
  const before = source.slice(0, at).split('\n');
  const line = source.split('\n')[before.length - 1] ?? '';
  const letters = [...line.replaceAll('\t', ' ')];
  const column = [...(before.at(-1) ?? '')].length;
  const dots = letters.slice(0, column).map((letter) => (isWide(letter) ? '\uff0e' : '.'));
  const mark = isWide(letters[column] ?? '') ? '\uff3e' : '^';
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${letters.join('')}\n | ${dots.join('')}${mark}`;
}

/** Letters beyond ASCII are taken to be as wide as two. */
function isWide(letter: string): boolean {
  return letter > '\u007f';
}
