import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testFolder } from '../packages/cli/src/testing/test-folder.js';

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

// generator | recorded facts | what ships
test.each([
  ['kubernetes-gates', 'kubernetes-gates/kubernetes-features', 'releases/kubernetes-gates'],
  ['kubernetes-type-graph', 'kubernetes-types/k8s-types', 'references/kubernetes-type-graph'],
])('%s.mjs makes what ships from the recorded facts', (generator, facts, shipped) => {
  const folder = testFolder();
  const made = join(folder, 'made.json');
  execFileSync(process.execPath, [path(`tools/${generator}.mjs`), path(`testdata/${facts}.json`), made]);
  expect(readFileSync(made, 'utf8')).toBe(readFileSync(path(`packages/features/src/${shipped}.json`), 'utf8'));
});
