/** A word as it is written: pieces of which some are still to be looked up. */
export type Word = readonly Piece[];
type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string; readonly or: string };

/** One command with what decides whether it runs: always, only after success, or only after a failure. */
export interface ScriptStep {
  readonly when: ';' | '&&' | '||';
  readonly words: readonly Word[];
  /** Where its output goes instead: nowhere, or its errors to its output. */
  readonly silent: { readonly stdout: boolean; readonly stderr: boolean };
}

/** What of the language of shells is not simulated, or makes no sense. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
}

const token =
  /[^\S\n]*(?:(#[^\n]*)|(\n|;|&&|\|\|)|([12]?>>?\s*\/dev\/null|2>&1)|([|&<>()`])|((?:[^\s;&|<>()`'"\\$]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\$\{[^}]*\}|\$[A-Za-z_]\w*|\$[?$]|\$(?![({]))+))/y;

/**
 * Reads a script of simple commands, one after the other: words, quotes, variables, `;`, `&&`, `||`, and output to /dev/null.
 * @throws ScriptError for everything else
 */
export function parseScript(script: string): readonly ScriptStep[] {
  const steps: ScriptStep[] = [];
  let when: ScriptStep['when'] = ';';
  let words: Word[] = [];
  let silent = { stdout: false, stderr: false };
  const finish = () => {
    if (words.length > 0) steps.push({ when, words, silent });
    words = [];
    silent = { stdout: false, stderr: false };
  };
  for (token.lastIndex = 0; script.slice(token.lastIndex).trim() !== ''; ) {
    const at = token.lastIndex;
    const [, comment, separator, redirection, unknown, word] = token.exec(script) ?? [];
    if (comment !== undefined) continue;
    if (word !== undefined) words.push(piecesOf(word));
    else if (redirection !== undefined) {
      if (redirection.startsWith('2>&1')) continue;
      silent = redirection.startsWith('2') ? { ...silent, stderr: true } : { ...silent, stdout: true };
    } else if (separator !== undefined) {
      if (words.length === 0 && separator !== '\n') throw new ScriptError(`syntax error: unexpected "${separator}"`);
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
