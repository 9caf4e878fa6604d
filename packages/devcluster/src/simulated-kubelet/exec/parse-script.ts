/** A word as it is written: pieces of which some are still to be looked up. */
export type Word = readonly Piece[];
type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string; readonly or: string };

/** One command with what decides whether it runs: always, only after success, or only after a failure; or it reads what the one before writes. */
export interface ScriptStep {
  readonly when: ';' | '&&' | '||' | '|';
  readonly words: readonly Word[];
  /** In the order in which they are written. */
  readonly redirections: readonly Redirection[];
}

/** Where standard input (0), output (1) or errors (2) come from or go to instead: a file, or where another of them goes. */
export type Redirection =
  | { readonly kind: 'file'; readonly stream: 0 | 1 | 2; readonly appends: boolean; readonly path: Word }
  | { readonly kind: 'same'; readonly stream: 1 | 2; readonly as: 1 | 2 };

/** What of the language of shells is not simulated, or makes no sense. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
}

const token =
  /[^\S\n]*(?:(#[^\n]*)|(\n|;|&&|\|\|?)|((?:[12]?>&[12])|[12]?>>?|0?<(?!<))|([&<>()`])|((?:[^\s;&|<>()`'"\\$]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\$\{[^}]*\}|\$[A-Za-z_]\w*|\$[?$]|\$(?![({]))+))/y;

/**
 * Reads a script of simple commands, one after the other: words, quotes, variables, `;`, `&&`, `||`, pipes, input from files and output to files.
 * @throws ScriptError for everything else
 */
export function parseScript(script: string): readonly ScriptStep[] {
  const steps: ScriptStep[] = [];
  let when: ScriptStep['when'] = ';';
  let words: Word[] = [];
  let redirections: Redirection[] = [];
  let operator: string | undefined;
  const finish = () => {
    if (operator !== undefined) throw new ScriptError('syntax error: unexpected newline');
    if (words.length > 0 || redirections.length > 0) steps.push({ when, words, redirections });
    words = [];
    redirections = [];
  };
  for (token.lastIndex = 0; script.slice(token.lastIndex).trim() !== ''; ) {
    const at = token.lastIndex;
    const [, comment, separator, redirection, unknown, word] = token.exec(script) ?? [];
    if (comment !== undefined) continue;
    if (word !== undefined) {
      if (operator === undefined) words.push(piecesOf(word));
      else redirections.push(toFile(operator, piecesOf(word)));
      operator = undefined;
    } else if (redirection !== undefined && operator === undefined) {
      if (redirection.includes('&')) redirections.push(toSame(redirection));
      else operator = redirection;
    } else if (separator !== undefined) {
      if (words.length === 0 && redirections.length === 0 && separator !== '\n')
        throw new ScriptError(`syntax error: unexpected "${separator}"`);
      finish();
      when = separator === '\n' ? ';' : (separator as ScriptStep['when']);
    } else {
      const what = unknown ?? script.slice(at).trim().slice(0, 1);
      throw new ScriptError(`a simulated shell does not know "${what}"`);
    }
  }
  finish();
  return steps;
}

function toFile(operator: string, path: Word): Redirection {
  const stream = operator.includes('<') ? 0 : operator.startsWith('2') ? 2 : 1;
  return { kind: 'file', stream, appends: operator.endsWith('>>'), path };
}

function toSame(operator: string): Redirection {
  return { kind: 'same', stream: operator.startsWith('2') ? 2 : 1, as: operator.endsWith('2') ? 2 : 1 };
}

/** Whether every quote of a script has its other end, so that it can be run before more of it is typed. */
export function isWhole(script: string): boolean {
  return !/['"]/.test(script.replaceAll(/\\[\s\S]|(?<![^\s;])#[^\n]*|'[^']*'|"(?:[^"\\]|\\[\s\S])*"/g, ''));
}

const piece = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^'"\\]+)/g;
const variable = /\$\{([A-Za-z_]\w*)(?::?-([^}]*))?\}|\$([A-Za-z_]\w*|[?$])|\\([$"\\`])|([^$\\]+|[$\\])/g;

function piecesOf(word: string): Word {
  const pieces: Piece[] = [];
  for (const [, single, double, escaped, bare] of word.matchAll(piece)) {
    const literal = single ?? escaped;
    if (literal !== undefined) pieces.push({ kind: 'text', text: literal });
    else pieces.push(...variablesIn(double ?? bare ?? ''));
  }
  return pieces.length === 0 ? [{ kind: 'text', text: '' }] : pieces;
}

function variablesIn(text: string): Piece[] {
  return [...text.matchAll(variable)].map(([, braced, or = '', name, escaped, plain]): Piece => {
    const named = braced ?? name;
    return named === undefined ? { kind: 'text', text: escaped ?? plain ?? '' } : { kind: 'variable', name: named, or };
  });
}

/** The word with its variables filled in. */
export function wordText(word: Word, value: (name: string) => string | undefined): string {
  return word.map((each) => (each.kind === 'text' ? each.text : value(each.name) || each.or)).join('');
}
