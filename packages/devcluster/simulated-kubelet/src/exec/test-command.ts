import { posix } from 'node:path';
import { matchesPattern } from './expand-words.js';
import type { Process, Program } from './process.js';

/** What is asked makes no sense, or is not simulated. */
class TestError extends Error {
  override readonly name = 'TestError';
}

const unary: Readonly<Record<string, (process: Process, operand: string) => boolean | Promise<boolean>>> = {
  '-n': (_, text) => text !== '',
  '-z': (_, text) => text === '',
  '-f': ({ files }, path) => files.isFile(path),
  '-d': ({ files }, path) => files.isFolder(path),
  '-e': exists,
  '-r': exists,
  '-w': exists,
  '-x': exists,
  '-L': () => false,
  '-h': () => false,
  '-S': () => false,
  '-t': () => false,
  '-s': async ({ files }, path) => ((await files.read(path))?.length ?? 0) > 0,
};

const numeric: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '-eq': (a, b) => a === b,
  '-ne': (a, b) => a !== b,
  '-lt': (a, b) => a < b,
  '-le': (a, b) => a <= b,
  '-gt': (a, b) => a > b,
  '-ge': (a, b) => a >= b,
};

const test =
  (name: string, end: string | undefined): Program =>
  async (process, args) => {
    const words = end === undefined ? args : args.slice(0, -1);
    try {
      if (end !== undefined && args.at(-1) !== end) throw new TestError(`missing ${end}`);
      return (await holds(process, words, name === '[[')) ? 0 : 1;
    } catch (error) {
      if (!(error instanceof TestError)) throw error;
      process.err(`${name}: ${error.message}\n`);
      return 2;
    }
  };

/** The program that says whether something holds, by its three names. */
export const testCommands: Readonly<Record<string, Program>> = {
  test: test('test', undefined),
  '[': test('[', ']'),
  '[[': test('[[', ']]'),
};

async function holds(process: Process, words: readonly string[], hasPatterns: boolean): Promise<boolean> {
  for (const [operator, stopsAt] of [
    ['-o', true],
    ['-a', false],
  ] as const) {
    const at = words.indexOf(operator, 1);
    if (at < 0) continue;
    const first = await holds(process, words.slice(0, at), hasPatterns);
    return first === stopsAt ? first : holds(process, words.slice(at + 1), hasPatterns);
  }
  const [first = '', second = '', third = ''] = words;
  if (words.length > 1 && first === '!') return !(await holds(process, words.slice(1), hasPatterns));
  if (words.length <= 1) return first !== '';
  if (words.length === 2) {
    const operator = Object.hasOwn(unary, first) ? unary[first] : undefined;
    if (!operator) throw new TestError(`${first}: unknown operand`);
    return operator(process, /^-[nzt]$/.test(first) ? second : posix.resolve(process.folder, second));
  }
  if (words.length > 3) throw new TestError('too many arguments');
  if (second === '=' || second === '==') return hasPatterns ? matchesPattern(first, third) : first === third;
  if (second === '!=') return hasPatterns ? !matchesPattern(first, third) : first !== third;
  const compare = Object.hasOwn(numeric, second) ? numeric[second] : undefined;
  if (!compare) throw new TestError(`${second}: unknown operand`);
  return compare(numberOf(first), numberOf(third));
}

function numberOf(text: string): number {
  if (!/^\s*[-+]?\d+\s*$/.test(text)) throw new TestError(`${text}: bad number`);
  return Number(text);
}

function exists({ files }: Process, path: string): boolean {
  return files.isFile(path) || files.isFolder(path) || path === '/dev/null';
}
