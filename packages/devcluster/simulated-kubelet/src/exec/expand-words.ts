import { arithmeticValue } from './arithmetic.js';
import { NotSimulatedError, type Piece, type Script, type Word } from './shell-grammar.js';

/** What words are expanded with. */
export interface Surroundings {
  valueOf(name: string): string | undefined;
  assign(name: string, value: string): void;
  /** `$1` and so on. */
  readonly parameters: readonly string[];
  /** What a script writes. */
  outputOf(script: Script): Promise<string>;
}

/** Expands words into those that a command gets: what is not in quotes is split at blanks, and may come to nothing. */
export async function expandWords(words: readonly Word[], around: Surroundings): Promise<readonly string[]> {
  const expanded: string[] = [];
  for (const word of words) {
    let open: string | undefined;
    for (const piece of word) {
      if (piece.kind === 'variable' && piece.name === '@' && piece.isQuoted) {
        const [first, ...more] = around.parameters;
        if (first === undefined) continue;
        const all = [(open ?? '') + first, ...more];
        open = all.pop();
        expanded.push(...all);
        continue;
      }
      const value = await valueOfPiece(piece, around);
      if (piece.isQuoted || piece.kind === 'text') {
        open = (open ?? '') + value;
        continue;
      }
      const [first = '', ...more] = value.split(/\s+/);
      if (first !== '') open = (open ?? '') + first;
      for (const part of more) {
        if (open !== undefined) expanded.push(open);
        open = part === '' ? undefined : part;
      }
    }
    if (open !== undefined) expanded.push(open);
  }
  return expanded;
}

/** Expands a word that stays one: a path, a value, a pattern. */
export async function expandText(word: Word, around: Surroundings): Promise<string> {
  let text = '';
  for (const piece of word) text += await valueOfPiece(piece, around);
  return text;
}

async function valueOfPiece(piece: Piece, around: Surroundings): Promise<string> {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'output':
      return (await around.outputOf(piece.script)).replace(/\n+$/, '');
    case 'arithmetic':
      return String(arithmeticValue(await expandText(piece.expression, around), (name) => around.valueOf(name)));
    case 'variable':
      return variable(piece, around);
  }
}

async function variable(
  { name, operator, operand }: Extract<Piece, { kind: 'variable' }>,
  around: Surroundings,
): Promise<string> {
  const value = around.valueOf(name);
  if (operator === 'length') return String((value ?? '').length);
  const counts = operator.startsWith(':') ? Boolean(value) : value !== undefined;
  switch (operator) {
    case '':
      return value ?? '';
    case '-':
    case ':-':
      return counts ? (value ?? '') : expandText(operand, around);
    case '+':
    case ':+':
      return counts ? expandText(operand, around) : '';
    case '=':
    case ':=': {
      if (counts) return value ?? '';
      const assigned = await expandText(operand, around);
      around.assign(name, assigned);
      return assigned;
    }
    default:
      return trimmed(value ?? '', operator, await expandText(operand, around));
  }
}

/** Longer values are not compared with patterns, in characters: all beginnings of them would be. */
const longestTrimmed = 4096;

/** `${NAME#PATTERN}` and the like: the value without its shortest or longest beginning or end that matches. */
function trimmed(value: string, operator: '#' | '##' | '%' | '%%', pattern: string): string {
  if (value.length > longestTrimmed) throw new NotSimulatedError('how to trim values as long as that');
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length);
  if (operator.length === 2) lengths.reverse();
  const isBeginning = operator.startsWith('#');
  const length = lengths.find((each) =>
    matchesPattern(isBeginning ? value.slice(0, each) : value.slice(value.length - each), pattern),
  );
  if (length === undefined) return value;
  return isBeginning ? value.slice(length) : value.slice(0, value.length - length);
}

/** Whether a text is as a pattern of `case` and `${NAME%...}` says, with `*`, `?` and `[...]`; in time of one times the other. */
export function matchesPattern(text: string, pattern: string): boolean {
  const parts = pattern.match(/\[!?[^\]]+\]|[\s\S]/g) ?? [];
  let [at, next] = [0, 0];
  let [star, resumeAt] = [-1, 0];
  while (at < text.length) {
    const part = parts[next];
    if (part === '*') {
      [star, resumeAt] = [next++, at];
    } else if (part !== undefined && matchesOne(text.charAt(at), part)) {
      at++;
      next++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++resumeAt;
    } else return false;
  }
  return parts.slice(next).every((part) => part === '*');
}

function matchesOne(character: string, part: string): boolean {
  if (part === '?') return true;
  if (part.length === 1) return part === character;
  const isNot = part[1] === '!';
  const inside = part.slice(isNot ? 2 : 1, -1);
  const ranges = inside.match(/[\s\S]-[\s\S]|[\s\S]/g) ?? [];
  const isIn = ranges.some((range) => character >= range.charAt(0) && character <= range.charAt(range.length - 1));
  return isIn !== isNot;
}
