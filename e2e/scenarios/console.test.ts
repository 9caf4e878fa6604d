import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { axeProblems, cellsOf, overhang, signIn, startConsole, watchedBrowser } from '../support/console.js';
import { eventually, type RunningCluster, slipway, up } from '../support/slipway.js';

const database = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', namespace: 'default' },
  spec: {
    replicas: 1,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
    template: {
      metadata: { labels: { app: 'db' } },
      spec: { containers: [{ name: 'c', image: 'db:1', resources: { requests: { cpu: '500m', memory: '1Gi' } } }] },
    },
  },
};

async function withDatabase(cluster: RunningCluster): Promise<void> {
  expect(await cluster.slipway(['feature', 'on', 'MaxUnavailableStatefulSet', '--wait'])).toMatchObject({ code: 0 });
  const made = await cluster.kubectl(['create', '-f', '-'], { stdin: JSON.stringify(database) });
  expect(made).toMatchObject({ code: 0 });
}

test('a person turns a feature off with the keyboard, watches it finish, and restores its values', async (ctx) => {
  needs(ctx, 'Chromium');
  needs(ctx, 'kubectl');
  await using cluster = await up({ args: ['--ephemeral'] });
  await withDatabase(cluster);
  await using console = await startConsole(cluster.kubeconfig);
  const { browser, page, complaints } = await watchedBrowser(console.url);
  await using _ = browser;
  await page.goto(console.address);
  await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor();
  expect(new URL(page.url()).hash).toBe('');
  expect(await axeProblems(page)).toEqual([]);

  await page.getByRole('link', { name: 'Features', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /MaxUnavailableStatefulSet/ }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.keyboard.press('/');
  await page.keyboard.type('maxunav');
  await eventually('only one row is left', async () => (await page.getByRole('row').count()) === 2);
  expect(page.url()).toMatch(/\?q=maxunav$/);
  await page.getByRole('row', { name: /MaxUnavailableStatefulSet/ }).focus();
  await page.keyboard.press('Enter');

  expect(await page.getByRole('button', { name: 'Restore values' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Turn off' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Objects that use it now: 1').waitFor();
  expect(await dialog.getByText(/ClearField/).count()).toBe(1);
  expect(await axeProblems(page)).toEqual([]);
  expect(await dialog.getByRole('button', { name: 'Turn off' }).isDisabled()).toBe(true);
  await dialog.getByRole('textbox').focus();
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.locator('.page-head .state', { hasText: /^Off$/ }).waitFor({ timeout: 60_000 });

  await page.getByText('1 value is kept: turn it on to restore').waitFor();
  expect(await page.getByRole('button', { name: 'Restore values' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Turn on' }).click();
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await page.locator('.page-head .state', { hasText: /^On$/ }).waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Restore values' }).click();
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await dialog.getByText('Restored 1 of 1 values').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await axeProblems(page)).toEqual([]);
  expect(complaints).toEqual([]);
}, 300_000);

test('pages say what the commands say, a node is refused what does not fit, and an API change is seen', async (ctx) => {
  needs(ctx, 'Chromium');
  needs(ctx, 'kubectl');
  await using cluster = await up({ args: ['--ephemeral'], nodes: 2 });
  await withDatabase(cluster);
  await using console = await startConsole(cluster.kubeconfig);
  const { browser, page, complaints } = await watchedBrowser(console.url);
  await using _ = browser;
  await signIn(page, console.address);
  await page.goto(`${console.url}/features`);
  await page.getByRole('row', { name: /OpenAPIV3/ }).waitFor();
  await eventually('the table of features is the list of the command', async () => {
    const listed = await cluster.slipway(['feature', 'list']);
    return same(
      await cellsOf(page, 'Features', ['gate', 'stage', 'state', 'configured', 'uses', 'dangling', 'upgrade']),
      listed.stdout,
    );
  });

  await page.goto(`${console.url}/nodes`);
  await page.getByRole('row', { name: /n2/ }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await eventually('the table of nodes is the list of the command', async () => {
    const { stdout } = await cluster.slipway(['node', 'list']);
    const short = stdout
      .split('\n')
      .filter((line) => !line.startsWith('TOTAL'))
      .map((line) => line.split(/ {3,}/));
    const picked = short
      .map((cells) => [cells[0], cells[1], cells[2], cells[4], cells[5], cells[7]].join('   '))
      .join('\n');
    return same(await cellsOf(page, 'Nodes', ['node', 'size', 'balloon', 'requested', 'free', 'state']), picked);
  });

  const pod = JSON.parse((await cluster.kubectl(['get', 'pod', 'db-0', '-o', 'json'])).stdout) as {
    spec: { nodeName: string };
  };
  await page.goto(`${console.url}/nodes/${pod.spec.nodeName}`);
  await page.getByRole('textbox', { name: 'memory for pods' }).fill('512Mi');
  await page.getByText(/^Does not fit:/).waitFor();
  expect(await page.getByRole('button', { name: 'Resize' }).isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'memory for pods' }).fill('2Gi');
  await page.getByText(/would go from .* to .* 2Gi memory for pods/).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.getByRole('button', { name: 'Resize' }).click();
  await page
    .locator('.plain tr', { hasText: 'size' })
    .getByText(/ \/ 2Gi$/)
    .first()
    .waitFor();

  await page.goto(`${console.url}/nodes`);
  await cluster.slipway(['node', 'size', pod.spec.nodeName, '--full']);
  await page.getByRole('row', { name: new RegExp(`${pod.spec.nodeName}.*8Mi`) }).waitFor();
  for (const path of ['/', '/features', '/features/kube-system/maxunavailablestatefulset', '/nodes']) {
    await page.goto(console.url + path);
    await page.locator('main h1').waitFor();
    expect({ path, ...(await overhang(page, [390, 1440])) }).toEqual({ path, 390: 0, 1440: 0 });
  }
  expect(complaints).toEqual([]);
}, 300_000);

test('an open page goes on once the console is there again and a person signed in', async (ctx) => {
  needs(ctx, 'Chromium');
  await using cluster = await up({ args: ['--ephemeral'], nodes: 1 });
  await using first = await startConsole(cluster.kubeconfig);
  const { browser, context, page } = await watchedBrowser(first.url);
  await using _ = browser;
  await signIn(page, first.address);
  await page.goto(`${first.url}/features`);
  await page.getByRole('row', { name: /OpenAPIV3/ }).waitFor();
  await first.end();
  await page.getByText('The console does not answer').waitFor();
  await using second = await startConsole(cluster.kubeconfig, { port: Number(new URL(first.url).port) });
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const other = await context.newPage();
  await signIn(other, second.address);
  await page.bringToFront();
  await page.getByRole('row', { name: /OpenAPIV3/ }).waitFor();
  const stranger = await browser.newContext();
  const used = await stranger.newPage();
  await used.goto(second.address);
  await used.getByText('this address was used before').waitFor();
});

test('who may not see features is told so, and what is asked for', async (ctx) => {
  needs(ctx, 'Chromium');
  needs(ctx, 'kubectl');
  await using cluster = await up({ args: ['--ephemeral'], nodes: 1 });
  const visitor = `${cluster.dataDir}/visitor`;
  await cluster.kubectl(['create', 'serviceaccount', 'visitor']);
  const token = (await cluster.kubectl(['create', 'token', 'visitor'])).stdout.trim();
  const { stdout } = await cluster.kubectl(['config', 'view', '--raw', '-o', 'json']);
  const config = JSON.parse(stdout) as { users: { user: object }[] };
  for (const user of config.users) user.user = { token };
  const { writeFileSync } = await import('node:fs');
  writeFileSync(visitor, JSON.stringify(config), { mode: 0o600 });
  await using console = await startConsole(visitor);
  const { browser, page } = await watchedBrowser(console.url);
  await using _ = browser;
  await signIn(page, console.address);
  await page.goto(`${console.url}/features`);
  await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
  await page.getByText(/cannot list resource "features"/).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  expect(await slipway(['feature', 'list', '--kubeconfig', visitor])).toMatchObject({ code: 4 });
});

/** Whether a table of a command, below its heading, says the same. */
function same(page: readonly (readonly string[])[], command: string): boolean {
  const words = (text: string) => text.replace(/ +/g, ' ').trim();
  const [, ...rows] = words(command).split('\n').map(words);
  return rows.length > 0 && rows.join('\n') === page.map((cells) => words(cells.join(' '))).join('\n');
}
