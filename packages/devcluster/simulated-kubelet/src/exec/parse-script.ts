import { readWord, ScriptText } from './parse-words.js';
import {
  type Assignment,
  type Command,
  NotSimulatedError,
  type Redirection,
  type Script,
  ScriptError,
  type ScriptItem,
  UnfinishedScriptError,
  type Word,
} from './shell-grammar.js';

const blanks = /(?:[^\S\n]|\\\n|#[^\n]*)+/y;
const blanksAndNewlines = /(?:\s|\\\n|#[^\n]*)+/y;
const redirection = /([0-2])?(>>|>&|>|<)/y;
const functionName = /([A-Za-z_]\w*)[^\S\n]*\([^\S\n]*\)/y;
/** Words that end a part of a command, where they stand in place of one. */
const endWords = ['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}'];
const assigned = /^([A-Za-z_]\w*)=/;

/** Reads a script. @throws ScriptError for what is not simulated or makes no sense; UnfinishedScriptError when more has to follow */
export function parseScript(script: string): Script {
  const source = new ScriptText(script);
  const items = readItems(source, []);
  if (!source.isAtEnd) throw unexpected(source);
  return items;
}

/** Whether a script can be run before more of it is typed. */
export function isWhole(script: string): boolean {
  try {
    parseScript(script);
    return true;
  } catch (error) {
    return !(error instanceof UnfinishedScriptError);
  }
}

/** Reads commands until one of the words or operators `ends`, which is left unread, or the end of the script. */
function readItems(source: ScriptText, ends: readonly string[]): Script {
  const items: ScriptItem[] = [];
  let when: ScriptItem['when'] = ';';
  for (;;) {
    source.take(blanksAndNewlines);
    if (source.isAtEnd && when !== ';') throw new UnfinishedScriptError('syntax error: unexpected end of file');
    if (source.isAtEnd || (when === ';' && ends.some((end) => isNext(source, end)))) return items;
    const isNegated = takeWord(source, '!');
    const pipeline: [Command, ...Command[]] = [readCommand(source)];
    while (takeOperator(source, /\|(?!\|)/y)) pipeline.push(readCommand(source));
    const separator = takeOperator(source, /&&|\|\||;(?!;)|&|\n/y);
    items.push({ when, pipeline, isNegated, isBackground: separator === '&' });
    when = separator === '&&' || separator === '||' ? separator : ';';
    if (separator === undefined && !source.isAtEnd) {
      if (ends.some((end) => isNext(source, end))) return items;
      throw unexpected(source);
    }
  }
}

function readCommand(source: ScriptText): Command {
  source.take(blanksAndNewlines);
  const command = readBody(source);
  const { redirections: own } = command;
  const behind: Redirection[] = [];
  for (let next = readRedirection(source); next; next = readRedirection(source)) behind.push(next);
  return { ...command, redirections: [...own, ...behind] };
}

function readBody(source: ScriptText): Command {
  const redirections: readonly Redirection[] = [];
  if (takeOperator(source, /\((?!\()/y)) {
    const body = readItems(source, [')']);
    expectWord(source, ')');
    return { kind: 'group', body, isSubshell: true, redirections };
  }
  if (takeWord(source, '{')) {
    return { kind: 'group', body: readUntil(source, '}'), isSubshell: false, redirections };
  }
  if (takeWord(source, 'if')) return readIf(source);
  for (const word of ['while', 'until'] as const) {
    if (!takeWord(source, word)) continue;
    const condition = readUntil(source, 'do');
    const endsOn = word === 'while' ? 'failure' : 'success';
    return { kind: 'while', condition, endsOn, body: readUntil(source, 'done'), redirections };
  }
  if (takeWord(source, 'for')) return readFor(source);
  if (takeWord(source, 'case')) return readCase(source);
  const name = source.take(functionName)?.[1];
  if (name !== undefined) return { kind: 'function', name, body: readCommand(source), redirections };
  return readSimple(source);
}

function readIf(source: ScriptText): Command {
  const branches: { condition: Script; body: Script }[] = [];
  let otherwise: Script = [];
  do {
    const condition = readUntil(source, 'then');
    branches.push({ condition, body: readItems(source, ['elif', 'else', 'fi']) });
  } while (takeWord(source, 'elif'));
  if (takeWord(source, 'else')) otherwise = readItems(source, ['fi']);
  expectWord(source, 'fi');
  return { kind: 'if', branches, otherwise, redirections: [] };
}

function readFor(source: ScriptText): Command {
  source.take(blanks);
  const name = source.take(/[A-Za-z_]\w*/y)?.[0];
  if (name === undefined) throw unexpected(source);
  source.take(blanksAndNewlines);
  let words: Word[] | undefined;
  if (takeWord(source, 'in')) {
    words = [];
    for (let word = readNextWord(source); word; word = readNextWord(source)) words.push(word);
  }
  takeOperator(source, /;|\n/y);
  source.take(blanksAndNewlines);
  expectWord(source, 'do');
  return { kind: 'for', name, words, body: readUntil(source, 'done'), redirections: [] };
}

function readCase(source: ScriptText): Command {
  const subject = readNextWord(source);
  if (!subject) throw unexpected(source);
  source.take(blanksAndNewlines);
  expectWord(source, 'in');
  const arms: { patterns: Word[]; body: Script }[] = [];
  for (;;) {
    source.take(blanksAndNewlines);
    if (takeWord(source, 'esac')) return { kind: 'case', subject, arms, redirections: [] };
    takeOperator(source, /\(/y);
    const patterns: Word[] = [];
    do {
      const pattern = readNextWord(source);
      if (!pattern && source.isAtEnd) throw new UnfinishedScriptError(unfinished('esac'));
      if (!pattern) throw unexpected(source);
      patterns.push(pattern);
    } while (takeOperator(source, /\|/y));
    expectWord(source, ')');
    arms.push({ patterns, body: readItems(source, [';;', 'esac']) });
    takeOperator(source, /;;/y);
  }
}

function readSimple(source: ScriptText): Command {
  const assignments: Assignment[] = [];
  const words: Word[] = [];
  const redirections: Redirection[] = [];
  if (endWords.some((word) => isNext(source, word))) throw unexpected(source);
  for (;;) {
    const next = readRedirection(source);
    if (next) {
      redirections.push(next);
      continue;
    }
    const word = readNextWord(source);
    if (!word) break;
    const assignment = words.length === 0 ? assignmentOf(word) : undefined;
    if (assignment) assignments.push(assignment);
    else words.push(word);
  }
  if (assignments.length + words.length + redirections.length === 0) throw unexpected(source);
  return { kind: 'simple', assignments, words, redirections };
}

/** `NAME=VALUE` where the name is not in quotes. */
export function assignmentOf([first, ...rest]: Word): Assignment | undefined {
  if (first?.kind !== 'text' || first.isQuoted) return undefined;
  const [all, name] = assigned.exec(first.text) ?? [];
  if (all === undefined || name === undefined) return undefined;
  return { name, value: [{ ...first, text: first.text.slice(all.length) }, ...rest] };
}

function readRedirection(source: ScriptText): Redirection | undefined {
  source.take(blanks);
  if (source.peek(/\d?<</y)) throw new NotSimulatedError('"<<"');
  const [, from, operator] = source.take(redirection) ?? [];
  if (operator === undefined) return undefined;
  const stream = operator === '<' ? 0 : from === '2' ? 2 : 1;
  if (operator === '>&') {
    const as = source.take(/[12]/y)?.[0];
    if (as === undefined) throw unexpected(source);
    return { kind: 'same', stream: from === '2' ? 2 : 1, as: as === '2' ? 2 : 1 };
  }
  const path = readNextWord(source);
  if (!path) throw unexpected(source);
  return { kind: 'file', stream, appends: operator === '>>', path };
}

function readNextWord(source: ScriptText): Word | undefined {
  source.take(blanks);
  return readWord(source, (inner) => readItems(inner, [')']));
}

function readUntil(source: ScriptText, end: string): Script {
  const items = readItems(source, [end]);
  expectWord(source, end);
  return items;
}

function expectWord(source: ScriptText, word: string): void {
  if (takeWord(source, word)) return;
  if (source.isAtEnd) throw new UnfinishedScriptError(unfinished(word));
  throw unexpected(source);
}

/** Whether a reserved word, or an operator, is next. */
function isNext(source: ScriptText, word: string): boolean {
  if (!source.text.startsWith(word, source.at)) return false;
  const next = source.text[source.at + word.length];
  return word === ')' || word === ';;' || next === undefined || /[\s;&|()<>]/.test(next);
}

function takeWord(source: ScriptText, word: string): boolean {
  source.take(blanks);
  if (!isNext(source, word)) return false;
  source.at += word.length;
  return true;
}

function takeOperator(source: ScriptText, pattern: RegExp): string | undefined {
  source.take(blanks);
  return source.take(pattern)?.[0];
}

function unfinished(word: string): string {
  return `syntax error: unexpected end of file (expecting "${word}")`;
}

function unexpected(source: ScriptText): ScriptError {
  if (source.isAtEnd || source.text[source.at] === '\n') return new ScriptError('syntax error: unexpected newline');
  const next = source.peek(/&&|\|\||;;|[;&|()<>]|[^\s;&|()<>]+/y) ?? source.text[source.at];
  return new ScriptError(`syntax error: unexpected "${next}"`);
}
