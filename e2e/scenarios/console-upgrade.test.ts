import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { axeProblems, overhang, signIn, startConsole, watchedBrowser } from '../support/console.js';
import { freeGates, up } from '../support/slipway.js';

interface Verdict {
  readonly to: string;
  readonly findings: readonly { readonly check: string; readonly message: string }[];
}

test('the verdict of an upgrade has an address, and says what the command says', async (ctx) => {
  needs(ctx, 'Chromium');
  await using cluster = await up({ kubernetes: freeGates, args: ['--ephemeral'], nodes: 1 });
  await using console = await startConsole(cluster.kubeconfig);
  const { browser, page, complaints } = await watchedBrowser(console.url);
  await using _ = browser;
  await signIn(page, console.address);
  await page.goto(`${console.url}/upgrade`);
  await page.getByRole('heading', { name: 'Where is the cluster to go?' }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  const check = async (...words: string[]) => (await cluster.slipway(['upgrade', 'check', ...words])).stdout;
  for (const to of ['v1.35', 'v1.37']) {
    const { findings } = JSON.parse(await check('--to', to, '-o', 'json')) as Verdict;
    await page.getByRole('textbox', { name: 'To version' }).fill(to);
    await page.keyboard.press('Enter');
    await page.getByText(/^Analysed: /).waitFor();
    expect(new URL(page.url()).search).toBe(`?to=${to}`);
    const said = (await check('--to', to)).split('\n').filter((line) => /^(?:v1|Analysed|Not analysed)/.test(line));
    const shown = await page.locator('.sections > section').first().locator('h2, p').allInnerTexts();
    expect(shown).toEqual(said);
    const listed = await page.locator('.sections > section').allInnerTexts();
    expect(listed.length - 1).toBe(findings.length);
    for (const [at, { check: name, message }] of findings.entries()) {
      expect(listed[at + 1]).toContain(name);
      expect(listed[at + 1]).toContain(message);
    }
    expect(await axeProblems(page)).toEqual([]);
    expect(await overhang(page, [390, 1440])).toEqual({ 390: 0, 1440: 0 });
  }
  await page.goBack();
  const colleague = await page.context().newPage();
  await colleague.goto(`${console.url}/upgrade?to=v1.37`);
  await colleague
    .getByText(/to v1\.37/)
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
  await page.goto(`${console.url}/upgrade?to=v9`);
  await page.getByText('a version looks like v1.35').waitFor();
}, 300_000);

test('the page of a feature says what feature get says comes next', async (ctx) => {
  needs(ctx, 'Chromium');
  await using cluster = await up({ kubernetes: freeGates, args: ['--ephemeral'], nodes: 1 });
  await using console = await startConsole(cluster.kubeconfig);
  const { browser, page } = await watchedBrowser(console.url);
  await using _ = browser;
  await signIn(page, console.address);
  for (const gate of ['OpenAPIV3', 'MaxUnavailableStatefulSet']) {
    await page.goto(`${console.url}/features/kube-system/${gate.toLowerCase()}`);
    const next = page.getByRole('region', { name: 'What comes next' }).locator('p').first();
    await next.waitFor();
    const said = (await cluster.slipway(['feature', 'get', gate])).stdout;
    expect(said.replace(/\s+/g, ' ')).toContain((await next.innerText()).replace(/^Next: /, ''));
  }
});
