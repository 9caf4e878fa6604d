import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allDocuments, type Block, blocksOf, commandsOf, holdsCommands, runnableDocuments } from './document-blocks.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const runnable = runnableDocuments().map((path) => ({ path, text: read(path) }));

/** Languages of blocks that hold no commands. Those without a language would look like commands that no test runs. */
const dataLanguages = ['js', 'ts', 'yaml', 'json', 'markdown', 'text'];

/** What a document says once of how the command is called. */
const calledAs = /where\s+Slipway\s+is\s+installed,?\s+(?:`\.\/slipway`|it)\s+is\s+`slipway`/i;

/** Command blocks that no test runs, with the reason. Keep it short: what is here may be wrong unnoticed. */
const notRun = [
  'README.md: needs a release',
  'docs/features/write-a-feature.md: needs a cluster on which your operator runs',
  'docs/guides/limit-image-pulls.md: changes the node it runs on',
  'docs/guides/run-envtest-suites.md: needs Go and a suite, and envtest.test.ts runs one',
  'docs/operations/release.md: takes minutes, and release.test.ts makes each artefact',
  'docs/operations/release.md: needs a release',
  'docs/operations/release.md: needs a release, and release.test.ts uses each artefact',
  'docs/operations/release.md: needs a release and Docker',
  'docs/reference/parity.md: takes minutes, and conformance.test.ts plays all rows',
  'examples/reporting-protocol/README.md: Go is not everywhere, and report-check.test.ts runs it where it is',
];

/** Commands that call `slipway` from the PATH, or have npx fetch whatever has that name. */
function callsUninstalled(block: Block): string[] {
  return commandsOf(block)
    .map(({ text }) => text)
    .filter((text) => /(?:^|[|&;(]\s*|\$\(\s*)(?:npx\s+(?:\S+\s+)*)?(?:kubectl )?slipway\b/.test(text));
}

test.each([
  ['slipway up', true],
  ['npx slipway up', true],
  ['npx --yes slipway up', true],
  ['cat a | slipway kep check', true],
  ['kubectl slipway feature list', true],
  ['./slipway up', false],
  ['kubectl -n slipway-system get leases', false],
  ['./slipway-0.1.0-linux-amd64 up', false],
])('callsUninstalled() %s: %s', (text, expected) => {
  expect(callsUninstalled({ language: 'sh', text, line: 1 })).toHaveLength(expected ? 1 : 0);
});

test('no document tells readers to type slipway where it is not installed', () => {
  const found = allDocuments().flatMap((path) => {
    const blocks = blocksOf(read(path)).filter((block) => holdsCommands(block) || block.language === '');
    return blocks
      .flatMap((block) => callsUninstalled({ ...block, language: block.language || 'sh' }))
      .map((text) => `${path}: ${text}`);
  });
  expect(found).toEqual([]);
  expect(allDocuments().filter((path) => /npx (--?\S+ )*slipway/.test(read(path)))).toEqual([]);
});

test('a document with commands of slipway says how it is called where it is installed', () => {
  const silent = runnable.filter(({ text }) => {
    const commands = blocksOf(text).filter(holdsCommands).flatMap(commandsOf);
    return commands.some((command) => command.text.includes('./slipway ')) && !calledAs.test(text);
  });
  expect(silent.map(({ path }) => path)).toEqual([]);
});

test('every block of a document is data, or commands that are run or say why not', () => {
  const unmarked = runnable.flatMap(({ path, text }) =>
    blocksOf(text)
      .filter((block) => !holdsCommands(block) && !dataLanguages.includes(block.language))
      .map(({ line, language }) => `${path}:${line} ${language || 'no language'}`),
  );
  expect(unmarked).toEqual([]);
  const reasons = runnable.flatMap(({ path, text }) =>
    blocksOf(text).flatMap(({ notRun: reason }) => (reason === undefined ? [] : [`${path}: ${reason}`])),
  );
  expect(reasons).toEqual(notRun);
});
