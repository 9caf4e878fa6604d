import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Program } from './registry.js';

/** An image with programs of this machine and their libraries. */
export function hostPrograms(paths: readonly string[], entrypoint: readonly string[]): Program {
  const libraries = paths.flatMap((path) => execFileSync('ldd', [path], { encoding: 'utf8' }).match(/\/\S+/g) ?? []);
  const files = new Map([...paths, ...libraries].map((path) => [path.slice(1), readFileSync(path)]));
  return { entrypoint, files };
}
