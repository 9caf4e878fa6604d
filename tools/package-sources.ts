import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { Module } from './module-graph.js';

/** A source file of a package: its path below packages/, and what it names in imports and exports. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

/**
 * The files of one package with the files of ours that they import. Paths begin with the name of a package, and go on
 * below its `src`: `@slipway/NAME/PATH` is `NAME/PATH.ts`.
 */
export function modulesOf(sources: readonly Source[]): Module[] {
  const below = (path: string) => path.replace('/src/', '/');
  const present = new Set(sources.map(({ path }) => below(path)));
  return sources.map(({ path, imports }) => ({
    path: below(path),
    imports: imports.flatMap((target) => {
      if (target.startsWith('.')) {
        const built = posix.join(posix.dirname(below(path)), target);
        return [['.tsx', '.ts'].map((end) => built.replace(/\.js$/, end)).find((file) => present.has(file)) ?? built];
      }
      const [, inPackage] = /^@slipway\/([^/]+\/.+)$/.exec(target) ?? [];
      return inPackage === undefined ? [] : [`${inPackage}.ts`];
    }),
  }));
}

/** The sources of the package in a folder. Their paths begin with the given name. */
export function sourcesOf(root: string, name: string): Source[] {
  const folder = `${root}/src`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => {
      const text = readFileSync(`${folder}/${file}`, 'utf8');
      return { path: `${name}/src/${file.replaceAll('\\', '/')}`, text, imports: importsOf(text) };
    });
}

function importsOf(text: string): string[] {
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^'"\n]*?(?:\{[^}]*\}[^'"\n]*?)?from\s*'([^']+)'|import\(\s*'([^']+)'|(?:^|\n)import\s+'([^']+)'/g,
  );
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}
