import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultConfig, KepRepository, layoutOf } from '@slipway/kep';
import { failureStatus, StatusError } from '@slipway/kube';
import { isPrintable } from '@slipway/safe-yaml/printable';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { needs } from '../../tools/real-parts.js';
import { axeProblems, overhang, signIn, watchedBrowser } from '../support/console.js';
import { consoleInMemory } from '../support/console-in-memory.js';
import { hostileName, hostileText, plantHostileObjects } from '../support/hostile-objects.js';
import { startLimiter } from '../support/limiter.js';
import { eventually } from '../support/slipway.js';

/** Fails where a page ran what was planted, shows a character that hides or reorders others, or is wider than a phone. */
async function expectHarmless(page: Page): Promise<void> {
  const path = new URL(page.url()).pathname;
  await eventually('nothing loads', async () => (await page.locator('main .loading').count()) === 0);
  expect({ path, planted: await page.evaluate('window.wasPlanted === true') }).toEqual({ path, planted: false });
  expect({ path, images: await page.locator('main img, main script, main svg').count() }).toEqual({ path, images: 0 });
  const text = (await page.evaluate('document.body.innerText')) as string;
  expect({ path, printable: isPrintable(text) }).toEqual({ path, printable: true });
  const titles = (await page.evaluate(
    '[...document.querySelectorAll("[title], [aria-label]")].map((each) => each.title + each.ariaLabel).join("")',
  )) as string;
  expect({ path, printable: isPrintable(titles) }).toEqual({ path, printable: true });
  expect({ path, ...(await overhang(page, [390, 1440])) }).toEqual({ path, 390: 0, 1440: 0 });
  expect({ path, axe: await axeProblems(page) }).toEqual({ path, axe: [] });
}

function hostileProposal(root: string): void {
  const folder = join(root, 'keps/sig-a/1-hostile');
  mkdirSync(folder, { recursive: true });
  const quoted = JSON.stringify(hostileText);
  const yaml = ['title', 'kep-number', 'owning-sig', 'status', 'stage', 'latest-milestone'].map(
    (key) => `${key}: ${quoted}`,
  );
  const lists = ['authors', 'approvers'].map((key) => `${key}: [${quoted}]`);
  const gate = `feature-gates:\n  - name: ${quoted}\n    components: [${quoted}]`;
  writeFileSync(join(folder, 'kep.yaml'), [...yaml, ...lists, gate, ''].join('\n'));
  const text = [
    '# T',
    `## ${hostileText}`,
    hostileText,
    `- ${hostileText}`,
    `\`${hostileText}\``,
    `[a](javascript:planted())`,
  ];
  const more = [`[${hostileText}](https://a.example/${hostileText})`, `![${hostileText}](x)`, `    ${hostileText}`];
  const table = `| ${hostileText} |\n|---|\n| ${hostileText} |`;
  writeFileSync(join(folder, 'README.md'), [...text, ...more, table, ''].join('\n\n'));
}

test('text that users of a cluster choose runs nothing, hides nothing and fits a phone, on every page', async (ctx) => {
  needs(ctx, 'Chromium');
  const root = testFolder();
  hostileProposal(root);
  await using limiter = await startLimiter(1);
  limiter.pull([`r/${hostileText}`, `r2/${hostileText}`], hostileText);
  const openProposals = async () => {
    const layout = layoutOf(root);
    if (!layout) throw new Error('the layout was not found');
    return new KepRepository(layout, defaultConfig);
  };
  const limiters = [{ name: hostileText, socket: limiter.admin }];
  await using served = await consoleInMemory({ cluster: hostileText, limiters, openProposals });
  const { api, console } = served;
  plantHostileObjects(api);
  const { browser, page, complaints } = await watchedBrowser(console.url);
  await using _ = browser;
  await page.addInitScript('window.planted = () => { window.wasPlanted = true; }');
  await signIn(page, console.address);
  const name = hostileName;
  for (const [path, shown] of [
    ['/', '.matter'],
    ['/features', '.table-body .row'],
    [`/features/kube-system/${name}`, '.task'],
    ['/nodes', '.table-body .row'],
    [`/nodes/${name}`, '.size-form'],
    ['/pulls', '.table-body .row'],
    [`/pulls/${name}`, '.table-body .row'],
    ['/keps', '.card'],
    ['/keps/1', '.block'],
    [`/features/kube-system/${encodeURIComponent(hostileText)}`, '.empty'],
    [`/nodes/${encodeURIComponent(hostileText)}`, '.empty'],
    ['/nodes/%E0%A4%A', '.empty'],
    [`/features?q=${encodeURIComponent(hostileText)}&sort=%00&is=<b>`, '.empty'],
    [`/upgrade?to=${encodeURIComponent(hostileText)}`, '[role="alert"]'],
  ] as const) {
    await page.goto(console.url + path);
    await page.locator(`main ${shown}`).first().waitFor();
    await expectHarmless(page);
  }

  await page.goto(`${console.url}/features/kube-system/${name}`);
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.locator('dialog .plan, dialog .notice').first().waitFor();
  await expectHarmless(page);

  api.intercept(({ method, path }) => {
    if (method === 'GET' && /\/(?:features|nodes|events)(?:\?|$)/.test(path)) {
      throw new StatusError(failureStatus({ code: 403, reason: 'Forbidden', message: hostileText }));
    }
  });
  api.endWatches(new Error('broken'));
  for (const path of ['/features', '/nodes', '/pulls', '/upgrade?to=v1.36']) {
    await page.goto(console.url + path);
    await page.getByRole('heading', { name: 'You may not see this' }).first().waitFor();
    await expectHarmless(page);
  }
  // The version to upgrade to was refused, and the browser says so.
  expect(complaints).toEqual([expect.stringContaining('status of 400')]);
}, 300_000);
