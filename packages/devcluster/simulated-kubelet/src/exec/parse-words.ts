import {
  type Piece,
  type Script,
  ScriptError,
  UnfinishedScriptError,
  type VariableOperator,
  type Word,
} from './shell-grammar.js';

/** A place in a script, which moves on as it is read. */
export class ScriptText {
  at = 0;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Reads what a sticky expression matches here; undefined, and nothing read, when it does not match. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text) ?? undefined;
    if (match) this.at += match[0].length;
    return match;
  }

  peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0];
  }

  /** Reads up to `end` and `end` itself. @throws UnfinishedScriptError without one */
  until(end: string): string {
    const to = this.text.indexOf(end, this.at);
    if (to < 0) throw new UnfinishedScriptError('syntax error: unterminated quoted string');
    const read = this.text.slice(this.at, to);
    this.at = to + end.length;
    return read;
  }
}

/** Reads the commands of `$(...)` up to its closing parenthesis. */
export type ReadCommands = (source: ScriptText) => Script;

const plain = /[^\s;&|<>()'"\\$`]+/y;
const quotedPlain = /[^"\\$`]+/y;
const operandPlain = /[^}'"\\$`]+/y;
const parameter = /\$(?:([A-Za-z_]\w*)|([?$#@*!0-9]))/y;
const bracedName = /\$\{(#?)([A-Za-z_]\w*|[?$#@*!]|\d+)/y;
const variableOperator = /:?[-=+]|##?|%%?/y;

/** Reads one word; undefined when none begins here. @throws ScriptError */
export function readWord(source: ScriptText, readCommands: ReadCommands): Word | undefined {
  const pieces = [...readPieces(source, readCommands, plain, false)];
  return pieces.length === 0 ? undefined : pieces;
}

function* readPieces(
  source: ScriptText,
  readCommands: ReadCommands,
  literal: RegExp,
  isQuoted: boolean,
): Generator<Piece> {
  while (!source.isAtEnd) {
    const text = source.take(literal)?.[0];
    if (text !== undefined) yield { kind: 'text', text, isQuoted };
    else if (source.take(/\\\n/y)) continue;
    else if (source.peek(/\\/y)) yield escaped(source, isQuoted);
    else if (!isQuoted && source.take(/'/y)) yield { kind: 'text', text: source.until("'"), isQuoted: true };
    else if (!isQuoted && source.take(/"/y)) yield* quoted(source, readCommands);
    else if (source.peek(/[$`]/y)) yield expansion(source, readCommands, isQuoted);
    else return;
  }
}

function* quoted(source: ScriptText, readCommands: ReadCommands): Generator<Piece> {
  // Nothing in quotes is a word too.
  yield { kind: 'text', text: '', isQuoted: true };
  yield* readPieces(source, readCommands, quotedPlain, true);
  if (!source.take(/"/y)) throw new UnfinishedScriptError('syntax error: unterminated quoted string');
}

function escaped(source: ScriptText, isInQuotes: boolean): Piece {
  const [all = '', character = ''] = source.take(/\\([\s\S]?)/y) ?? [];
  const keepsItsMeaning = !isInQuotes || '$"\\`'.includes(character);
  return { kind: 'text', text: keepsItsMeaning && character !== '' ? character : all, isQuoted: true };
}

function expansion(source: ScriptText, readCommands: ReadCommands, isQuoted: boolean): Piece {
  if (source.take(/\$\(\(/y)) return arithmetic(source, readCommands, isQuoted);
  if (source.take(/\$\(/y)) {
    const script = readCommands(source);
    if (!source.take(/\)/y)) throw new UnfinishedScriptError('syntax error: unexpected end of file (expecting ")")');
    return { kind: 'output', script, isQuoted };
  }
  if (source.take(/`/y)) {
    const inner = new ScriptText(source.until('`'));
    const script = readCommands(inner);
    if (!inner.isAtEnd) throw new ScriptError('syntax error: unexpected ")"');
    return { kind: 'output', script, isQuoted };
  }
  if (source.peek(/\$\{/y)) return braced(source, readCommands, isQuoted);
  const [, name, special] = source.take(parameter) ?? [];
  if (name !== undefined || special !== undefined) {
    return { kind: 'variable', name: name ?? special ?? '', operator: '', operand: [], isQuoted };
  }
  source.at++;
  return { kind: 'text', text: '$', isQuoted };
}

function arithmetic(source: ScriptText, readCommands: ReadCommands, isQuoted: boolean): Piece {
  const from = source.at;
  let depth = 0;
  for (; !source.isAtEnd; source.at++) {
    const character = source.text[source.at];
    if (character === '(') depth++;
    if (character !== ')') continue;
    if (depth === 0 && source.text[source.at + 1] === ')') break;
    depth--;
  }
  if (source.isAtEnd) throw new UnfinishedScriptError('syntax error: unexpected end of file (expecting "))")');
  const inner = new ScriptText(source.text.slice(from, source.at));
  source.at += 2;
  return { kind: 'arithmetic', expression: [...readPieces(inner, readCommands, quotedPlain, true)], isQuoted };
}

function braced(source: ScriptText, readCommands: ReadCommands, isQuoted: boolean): Piece {
  const [, length, name] = source.take(bracedName) ?? [];
  if (name === undefined) throw new ScriptError('syntax error: bad substitution');
  const found = length === '#' ? undefined : source.take(variableOperator)?.[0];
  const operator = (length === '#' ? 'length' : (found ?? '')) as VariableOperator;
  const operand = found === undefined ? [] : [...readPieces(source, readCommands, operandPlain, false)];
  if (source.isAtEnd) throw new UnfinishedScriptError('syntax error: missing "}"');
  if (!source.take(/\}/y)) throw new ScriptError('syntax error: bad substitution');
  return { kind: 'variable', name, operator, operand, isQuoted };
}
