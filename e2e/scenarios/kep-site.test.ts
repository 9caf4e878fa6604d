import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { findChromium, needs } from '../../tools/real-parts.js';
import { slipway } from '../support/slipway.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));

async function browser(): Promise<Browser> {
  return await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
}

// width | height | with scripts
const widths: [string, number, number, boolean][] = [
  ['a phone without scripts', 390, 844, false],
  ['a phone', 390, 844, true],
  ['a desk without scripts', 1440, 900, false],
  ['a desk', 1440, 900, true],
];

test('the site of our own proposals fits a phone and a desk, with and without scripts, from a folder on disk', async (ctx) => {
  needs(ctx, 'Chromium');
  const out = join(testFolder(), 'site');
  const done = await slipway(['kep', 'site', '--root', repository, '--out', out, '-o', 'json']);
  expect(done).toMatchObject({ code: 0, stderr: '' });
  const { files } = JSON.parse(done.stdout) as { files: string[] };
  const pages = files.filter((path) => path.endsWith('.html'));
  expect(pages).toContain('kep/5620.html');
  await using open = await browser();
  for (const [name, width, height, javaScriptEnabled] of widths) {
    const context = await open.newContext({ viewport: { width, height }, javaScriptEnabled });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) complaints.push(request.url());
    });
    for (const path of pages) {
      await page.goto(pathToFileURL(join(out, path)).href);
      const { beyond, small } = await page.evaluate(measure);
      expect({ name, path, beyond, small }).toEqual({ name, path, beyond: 0, small: [] });
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    }
    expect([name, complaints]).toEqual([name, []]);
    await context.close();
  }
});

/** Runs in the page: how far it is wider than the window, and what is too small or too faint to read. */
function measure(): { beyond: number; small: string[] } {
  const { scrollWidth, clientWidth } = document.documentElement;
  const small = [...document.querySelectorAll('p, li, dd, th, h1, h2')].filter((element) => {
    const { fontSize, color } = getComputedStyle(element);
    return Number.parseFloat(fontSize) < 12 || color === getComputedStyle(document.documentElement).backgroundColor;
  });
  return { beyond: scrollWidth - clientWidth, small: small.map((element) => element.outerHTML.slice(0, 80)) };
}

test('the board is filtered with the keyboard, and the address keeps what was chosen', async (ctx) => {
  needs(ctx, 'Chromium');
  const out = join(testFolder(), 'site');
  await slipway(['kep', 'site', '--root', repository, '--out', out]);
  await using open = await browser();
  const page = await open.newPage();
  await page.goto(pathToFileURL(join(out, 'index.html')).href);
  const cards = page.locator('.card:visible');
  const all = await cards.count();
  await page.getByLabel('Text').focus();
  await page.keyboard.type('balloon');
  await expect.poll(() => cards.count()).toBe(1);
  expect(all).toBeGreaterThan(1);
  expect(await page.getByRole('status').textContent()).toMatch(/^1 of them/);
  expect(page.url()).toMatch(/\?text=balloon$/);
  await page.reload();
  expect(await cards.count()).toBe(1);
  await page.getByLabel('Text').fill('');
  const ready = await page.locator('.card.ready').count();
  await page.getByLabel('State').selectOption('ready');
  await expect.poll(() => cards.count()).toBe(ready);
  await page.getByLabel('Person').fill('@unknown-person');
  await expect.poll(() => cards.count()).toBe(0);
  expect(page.url()).toMatch(/\?person=%40unknown-person&state=ready$/);
  await page.goto(`${pathToFileURL(join(out, 'index.html')).href}?text=balloon`);
  await page.getByRole('link', { name: /5620/ }).press('Enter');
  await page.waitForURL(/kep\/5620\.html$/);
  expect(await page.getByRole('navigation', { name: 'Contents' }).getByRole('link').count()).toBeGreaterThan(10);
  await page.getByRole('link', { name: 'Timeline' }).click();
  expect(await page.getByRole('rowheader', { name: /5620/ }).count()).toBe(1);
});

test('slipway kep site writes twice the same, and not over files that are not its own', async () => {
  const out = join(testFolder(), 'site');
  const first = await slipway(['kep', 'site', '--root', repository, '--out', out]);
  expect(first.stdout).toMatch(/index\.html: \d+ proposals, \d+ files\n$/);
  const before = readdirSync(out);
  expect((await slipway(['kep', 'site', '--root', repository, '--out', out, '--release', 'v1.34'])).code).toBe(0);
  expect(readdirSync(out)).toEqual(before);
  const foreign = testFolder();
  writeFileSync(join(foreign, 'mine.txt'), 'x');
  const refused = await slipway(['kep', 'site', '--root', repository, '--out', foreign]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/holds other files\nTo fix: name an empty folder/);
  const wrong = await slipway(['kep', 'site', '--root', repository, '--out', out, '--release', 'soon']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/--release: soon is not a release/)]);
});
