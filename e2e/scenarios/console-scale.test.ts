import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { signIn, watchedBrowser } from '../support/console.js';
import { consoleInMemory, seedFeatures, seedNodes } from '../support/console-in-memory.js';
import { startLimiter } from '../support/limiter.js';
import { eventually } from '../support/slipway.js';

/** More than a screen of rows, and far less than all. */
const maxDrawn = 80;

async function drawn(page: Page, table: string): Promise<number> {
  return await page.getByRole('table', { name: table, exact: true }).locator('.table-body .row').count();
}

test('of 450 features, 5,000 nodes and 200 waiting pulls only the rows in sight are drawn', async (ctx) => {
  needs(ctx, 'Chromium');
  await using limiter = await startLimiter(1);
  limiter.pull(Array.from({ length: 201 }, (_, index) => `registry.example/app-${index}:1`));
  await using served = await consoleInMemory({ limiters: [{ name: 'n0001', socket: limiter.admin }] });
  const { api, console } = served;
  seedNodes(api, 5_000);
  seedFeatures(api, 450);
  const { browser, page, complaints } = await watchedBrowser(console.url);
  await using _ = browser;
  await signIn(page, console.address);
  for (const [path, table, count, last] of [
    ['/nodes', 'Nodes', 5_000, 'n5000'],
    ['/features', 'Features', 450, 'Gate450'],
    ['/pulls', 'Pulls of n0001', 201, 'waiting, position 200'],
  ] as const) {
    await page.goto(console.url + path);
    const rows = page.getByRole('table', { name: table, exact: true });
    await rows.locator('.table-body .row').first().waitFor();
    await eventually(`all rows of ${table} are counted`, async () => {
      return (await rows.getAttribute('aria-rowcount')) === String(count + 1);
    });
    expect(await drawn(page, table)).toBeLessThan(maxDrawn);
    await rows.locator('.table-body .row').first().focus();
    await page.keyboard.press('End');
    await rows.getByText(last, { exact: true }).waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-rowindex")')).toBe(String(count + 1));
    expect(await drawn(page, table)).toBeLessThan(maxDrawn);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
    await eventually('rows in the middle are drawn', async () => {
      const index = Number(await rows.locator('.table-body .row').last().getAttribute('aria-rowindex'));
      return index > count / 4 && index <= count;
    });
    expect(await drawn(page, table)).toBeLessThan(maxDrawn);
  }

  await page.goto(`${console.url}/nodes?sort=-node`);
  await page.getByText('n5000', { exact: true }).waitFor();
  const bytes: number[] = [];
  const follow = await page.context().newCDPSession(page);
  follow.on('Network.dataReceived', ({ dataLength }) => bytes.push(dataLength));
  await follow.send('Network.enable');
  const metadata = { name: 'n9999' };
  api.seed({ group: '', plural: 'nodes' }, { apiVersion: 'v1', kind: 'Node', metadata, spec: {}, status: {} });
  await page.getByText('n9999', { exact: true }).waitFor();
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(10_000);
  expect(complaints).toEqual([]);
});
