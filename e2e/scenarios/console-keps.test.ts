import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { needs } from '../../tools/real-parts.js';
import { axeProblems, overhang, signIn, startConsole, watchedBrowser } from '../support/console.js';
import { eventually, repository, slipway, up } from '../support/slipway.js';

interface Listed {
  readonly items: readonly { readonly number: string; readonly title: string; readonly directory: string }[];
}

interface Checked {
  readonly results: readonly { readonly rule: string; readonly message: string }[];
}

test('a board of proposals follows their files; a page has the findings beside the text, the evidence and the Feature', async (ctx) => {
  needs(ctx, 'Chromium');
  const root = testFolder();
  // Without the evidence that is there already.
  const filter = (path: string) => !path.includes('/evidence');
  cpSync(join(repository, 'keps'), join(root, 'keps'), { recursive: true, filter });
  await using cluster = await up({ args: ['--ephemeral'], nodes: 1 });
  await using console = await startConsole(cluster.kubeconfig, { flags: ['--root', root] });
  const { browser, page, complaints } = await watchedBrowser(console.url);
  await using _ = browser;
  await signIn(page, console.address);
  await page.goto(`${console.url}/keps`);
  const kep = (...words: string[]) => slipway(['kep', ...words, '--root', root]);
  const { items } = JSON.parse((await kep('list', '-o', 'json')).stdout) as Listed;
  await page.locator('.card').first().waitFor();
  const titles = await page.locator('.card > a').allInnerTexts();
  expect(titles.sort()).toEqual(items.map(({ number, title }) => `${number} ${title}`).sort());
  expect(await axeProblems(page)).toEqual([]);
  expect(await overhang(page, [390, 1440])).toEqual({ 390: 0, 1440: 0 });

  const [first] = items;
  if (!first) throw new Error('the repository has proposals');
  const readme = join(root, first.directory, 'README.md');
  const before = readFileSync(readme, 'utf8');
  writeFileSync(readme, before.replace(/^## Summary$/m, '## Sumary'));
  await page
    .getByText(/^\d+ errors?$/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: /^With errors/ }).click();
  expect(page.url()).toMatch(/\?is=blocked$/);
  await page.getByRole('link', { name: new RegExp(first.title.slice(0, 20)) }).click();
  await page.locator('.document .finding').first().waitFor();
  const shown = await page.locator('.finding').allInnerTexts();
  const checked = JSON.parse((await kep('check', join(root, first.directory), '-o', 'json')).stdout) as Checked;
  expect(shown.length).toBe(checked.results.length);
  for (const { rule, message } of checked.results) {
    expect(shown.some((text) => text.startsWith(rule) && text.includes(message))).toBe(true);
  }
  expect(await axeProblems(page)).toEqual([]);
  expect(await overhang(page, [390, 1440])).toEqual({ 390: 0, 1440: 0 });
  writeFileSync(readme, before);
  await eventually('the findings are gone', async () => (await page.locator('.finding-error').count()) === 0);

  const verified = await slipway(
    ['kep', 'verify', join(root, first.directory), '--root', root, '--write', '-o', 'json'],
    {
      env: { KUBECONFIG: cluster.kubeconfig },
    },
  );
  expect([0, 1, 3]).toContain(verified.code);
  const { claims } = JSON.parse(verified.stdout) as { readonly claims: readonly { readonly id: string }[] };
  await page.getByText('a simulated cluster').waitFor();
  expect(await page.locator('details th').allInnerTexts()).toEqual(claims.map(({ id }) => id));
  expect(complaints).toEqual([]);
});

test('a proposal leads to the live Feature of its gate, and without proposals the page says what to do', async (ctx) => {
  needs(ctx, 'Chromium');
  const root = testFolder();
  await using cluster = await up({ args: ['--ephemeral'], nodes: 1 });
  await using console = await startConsole(cluster.kubeconfig, { flags: ['--root', root] });
  const { browser, page, complaints } = await watchedBrowser(console.url);
  await using _ = browser;
  await signIn(page, console.address);
  await page.goto(`${console.url}/keps`);
  await page.getByRole('heading', { name: 'No proposals' }).waitFor();
  expect(await axeProblems(page)).toEqual([]);

  const folder = join(root, 'keps/sig-apps/961-maxunavailable');
  mkdirSync(folder, { recursive: true });
  const about = [
    'title: Bound pods',
    'kep-number: 961',
    'owning-sig: sig-apps',
    'status: implementable',
    'stage: beta',
  ];
  const gate = ['feature-gates:', '  - name: MaxUnavailableStatefulSet', '    components: [kube-controller-manager]'];
  writeFileSync(join(folder, 'kep.yaml'), [...about, ...gate, ''].join('\n'));
  writeFileSync(join(folder, 'README.md'), '# KEP-961: Bound pods\n\n## Summary\n\nText.\n');
  await page.locator('.card > a').click();
  await page.getByRole('link', { name: 'MaxUnavailableStatefulSet' }).click();
  await page.getByRole('heading', { name: 'MaxUnavailableStatefulSet' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/features/kube-system/maxunavailablestatefulset');
  expect(complaints).toEqual([]);
});
