// @ts-check
/**
 * Programs of others, built from their Go modules into node_modules/.real/foreign.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stderr } from 'node:process';
import { build, builtFolder, download, removeWork, requireGo } from '../real/go-modules.mjs';

/** @typedef {import('./operators.mjs').Software} Software */

/** Has the folders of all software. */
export const foreignFolder = join(builtFolder, 'foreign');

/**
 * Path of a program, and of the sources of its module.
 * @param {Software} software
 */
export function pathsOf({ name, version }) {
  const folder = join(foreignFolder, `${name}-${version}`);
  return { program: join(folder, 'program'), sources: join(folder, 'sources') };
}

/**
 * Builds those that were not built before. Ends this process with 3 where that is not possible.
 * @param {readonly Software[]} all
 */
export function buildSoftware(all) {
  const missing = all.filter((software) => {
    const { program, sources } = pathsOf(software);
    return !existsSync(sources) || (software.program !== undefined && !existsSync(program));
  });
  if (missing.length === 0) return;
  requireGo();
  for (const software of missing) {
    const began = Date.now();
    const { program, sources } = pathsOf(software);
    if (software.program !== undefined) build(software, program, whatOf(software.module, software.program));
    rmSync(sources, { force: true });
    mkdirSync(dirname(sources), { recursive: true });
    symlinkSync(download(software).Dir, sources);
    stderr.write(`built ${software.name} ${software.version} in ${Math.round((Date.now() - began) / 1000)} s\n`);
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
