// @ts-check
/**
 * Removes what the compiler wrote into a package's `dist` for a source that is gone, which it leaves there: a release
 * would contain it. Source maps tell outputs of the compiler from those of a bundler.
 */
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @param {string} folder a package that was just compiled, with its `tsconfig.tsbuildinfo` */
export function removeStaleOutputs(folder) {
  const dist = join(folder, 'dist');
  /** @type {{fileNames: string[]}} */
  const { fileNames } = JSON.parse(readFileSync(join(folder, 'tsconfig.tsbuildinfo'), 'utf8'));
  const sources = new Set(fileNames.map((name) => name.replace(/^\.\/src\//, '').replace(/\.[jt]sx?$/, '')));
  const folders = new Set();
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js.map')) continue;
    const output = name.slice(0, -'.js.map'.length).replaceAll('\\', '/');
    if (sources.has(output)) continue;
    for (const ending of ['.js.map', '.js', '.d.ts']) rmSync(join(dist, output + ending), { force: true });
    for (let at = dirname(output); at !== '.'; at = dirname(at)) folders.add(at);
  }
  for (const each of [...folders].sort().reverse()) {
    const path = join(dist, each);
    if (existsSync(path) && readdirSync(path).length === 0) rmdirSync(path);
  }
}
