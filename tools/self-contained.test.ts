import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Files whose text names other files: sources, scripts, configuration. Recorded data names the paths of other machines. */
const isRead = (file: string) =>
  /\.(?:[cm]?[jt]s|json|sh|ya?ml)$|^\.ci\/|^\.github\//.test(file) && !/(?:^|\/)testdata\/|-lock\.json$/.test(file);

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => isRead(file) && file !== 'tools/self-contained.test.ts');

/** Programs that run from a `dist` folder inside their own: relative paths in them start one level deeper. */
const runsFromDist = /^(bench|conformance)\/(?!.*\.test\.ts$)/;

/** Relative paths in a text that lead above the root of the repository from where the file runs. */
function pathsAboveRoot(file: string, text: string): string[] {
  const folder = dirname(runsFromDist.test(file) ? file.replace(runsFromDist, '$1/dist/') : file);
  return matches(text, /(?<=['"`(= ])(?:\.\.\/)+[\w@.-][\w@./-]*/g).filter((path) =>
    normalize(join(folder, path)).startsWith('..'),
  );
}

test.each([
  ['tools/a.ts', "new URL('../../elsewhere/data.json', import.meta.url)", ['../../elsewhere/data.json']],
  ['packages/kep/src/a.test.ts', "new URL('../../../../data', x)", ['../../../../data']],
  ['packages/kep/src/a.test.ts', "import { a } from '../../../tools/a.js'", []],
  ['bench/a.ts', "new URL('../../packages/cli', x)", []],
  ['bench/a.ts', "new URL('../../../data', x)", ['../../../data']],
] as const)('pathsAboveRoot() in %s: %s', (file, text, expected) => {
  expect(pathsAboveRoot(file, text)).toEqual(expected);
});

test.each([
  ['no source names a path above the root of the repository', pathsAboveRoot],
  ['no source joins the root of the repository with its parent', joinsWithParent],
  ['no source names an absolute path of one machine', pathsOfOneMachine],
] as const)('%s', (_title, find) => {
  const wrong = files.flatMap((file) =>
    find(file, readFileSync(join(root, file), 'utf8')).map((path) => `${file}: ${path}`),
  );
  expect(wrong).toEqual([]);
});

function joinsWithParent(_file: string, text: string): string[] {
  return matches(text, /\b(?:join|resolve)\(\s*(?:repository|root|ours)\s*,\s*['"`]\.\./g);
}

/** Folders that exist on the machine of one author only. */
function pathsOfOneMachine(_file: string, text: string): string[] {
  return matches(text, /(?<=['"`(= ])\/(?:work|Users)\/[\w./-]+/g);
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([found]) => found);
}
