// @ts-check
/**
 * The programs of operators, built from their Go modules into node_modules/.real/foreign.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stderr } from 'node:process';
import { build, builtFolder, download, removeWork, requireGo } from '../real/go-modules.mjs';

/** @typedef {import('./operators.mjs').Operator} Operator */

/** Has the folders of all operators. */
export const foreignFolder = join(builtFolder, 'foreign');

/**
 * Path of an operator's program, and of the sources of its module.
 * @param {Operator} operator
 */
export function pathsOf({ name, version }) {
  const folder = join(foreignFolder, `${name}-${version}`);
  return { program: join(folder, 'program'), sources: join(folder, 'sources') };
}

/**
 * Builds those that were not built before. Ends this process with 3 where that is not possible.
 * @param {readonly Operator[]} operators
 */
export function buildOperators(operators) {
  const missing = operators.filter((operator) => {
    const { program, sources } = pathsOf(operator);
    return !existsSync(sources) || (operator.program !== undefined && !existsSync(program));
  });
  if (missing.length === 0) return;
  requireGo();
  for (const operator of missing) {
    const began = Date.now();
    const { program, sources } = pathsOf(operator);
    if (operator.program !== undefined) build(operator, program, whatOf(operator.module, operator.program));
    rmSync(sources, { force: true });
    mkdirSync(dirname(sources), { recursive: true });
    symlinkSync(download(operator).Dir, sources);
    stderr.write(`built ${operator.name} ${operator.version} in ${Math.round((Date.now() - began) / 1000)} s\n`);
    removeWork();
  }
}

/**
 * @param {string} module
 * @param {string} program
 */
function whatOf(module, program) {
  if (!program.endsWith('.go')) return { package: join(module, program) };
  const file = new URL(`../../e2e/support/foreign/${program}`, import.meta.url);
  return { files: new Map([[basename(program), readFileSync(file, 'utf8')]]) };
}
