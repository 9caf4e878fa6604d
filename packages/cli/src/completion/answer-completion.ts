import type { Invocation } from '../runtime/command.js';
import { buildProgram, type Noun } from '../runtime/program.js';
import { complete } from './complete.js';
import { namesInCluster } from './names-in-cluster.js';

/** What ends an answer, as kubectl and other programs built with Cobra have it: whether the shell adds names of files. */
const directives = { files: ':0', noFiles: ':4' } as const;

/**
 * Answers `slipway __complete WORD...`, which the completion scripts of the shells and kubectl call:
 * a line for each word that may stand in the place of the last one, with a tab before what it means.
 */
export async function answerCompletion(
  typed: readonly string[],
  nouns: readonly Noun[],
  invocation: Invocation,
): Promise<void> {
  const words = typed[0] === 'help' ? typed.slice(1) : typed;
  const program = await buildProgram(nouns, invocation, (noun) => words.length > 1 && words.includes(noun));
  const { candidates, files } = await complete(program, words, namesInCluster(invocation.signal));
  const lines = candidates.map(({ word, about }) => (about ? `${word}\t${about}` : word));
  invocation.terminal.out(`${[...lines, files ? directives.files : directives.noFiles].join('\n')}\n`);
}
