/** Commands in the order in which they run. */
export type Script = readonly ScriptItem[];

export interface ScriptItem {
  /** Whether it runs: always, only after success, or only after a failure. */
  readonly when: ';' | '&&' | '||';
  /** Each command reads what the one before it writes. */
  readonly pipeline: readonly [Command, ...Command[]];
  /** `!` before it: success counts as failure, and failure as success. */
  readonly isNegated: boolean;
  /** `&` behind it: the shell does not wait for it. */
  readonly isBackground: boolean;
}

export type Command = (
  | { readonly kind: 'simple'; readonly assignments: readonly Assignment[]; readonly words: readonly Word[] }
  | { readonly kind: 'group'; readonly body: Script; readonly isSubshell: boolean }
  | { readonly kind: 'if'; readonly branches: readonly Branch[]; readonly otherwise: Script }
  | {
      readonly kind: 'while';
      readonly condition: Script;
      readonly endsOn: 'success' | 'failure';
      readonly body: Script;
    }
  | { readonly kind: 'for'; readonly name: string; readonly words: readonly Word[] | undefined; readonly body: Script }
  | { readonly kind: 'case'; readonly subject: Word; readonly arms: readonly Arm[] }
  | { readonly kind: 'function'; readonly name: string; readonly body: Command }
) & {
  /** In the order in which they are written. */
  readonly redirections: readonly Redirection[];
};

export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

interface Branch {
  readonly condition: Script;
  readonly body: Script;
}

interface Arm {
  readonly patterns: readonly Word[];
  readonly body: Script;
}

/** Where standard input (0), output (1) or errors (2) come from or go to instead: a file, or where another of them goes. */
export type Redirection =
  | { readonly kind: 'file'; readonly stream: 0 | 1 | 2; readonly appends: boolean; readonly path: Word }
  | { readonly kind: 'same'; readonly stream: 1 | 2; readonly as: 1 | 2 };

/** A word as it is written: pieces of which some are still to be expanded. */
export type Word = readonly Piece[];

export type Piece = {
  /** What is not in quotes is split at blanks when it is expanded. */
  readonly isQuoted: boolean;
} & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string; readonly operator: VariableOperator; readonly operand: Word }
  | { readonly kind: 'output'; readonly script: Script }
  | { readonly kind: 'arithmetic'; readonly expression: Word }
);

/** What stands behind the name in `${NAME:-WORD}`; `length` is `${#NAME}`. */
export type VariableOperator = '' | 'length' | '-' | ':-' | '=' | ':=' | '+' | ':+' | '#' | '##' | '%' | '%%';

/** A script that makes no sense, or does what no shell lets it do. */
export class ScriptError extends Error {
  override readonly name: string = 'ScriptError';
}

/** The script ends in the middle of a command: more of it may follow. */
export class UnfinishedScriptError extends ScriptError {
  override readonly name = 'UnfinishedScriptError';
}

/** What of the language of shells is not simulated. */
export class NotSimulatedError extends ScriptError {
  override readonly name = 'NotSimulatedError';

  constructor(what: string) {
    super(`a simulated shell does not know ${what}`);
  }
}
