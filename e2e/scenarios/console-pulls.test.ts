import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { axeProblems, cellsOf, overhang, signIn, startConsole, watchedBrowser } from '../support/console.js';
import { startLimiter } from '../support/limiter.js';
import { eventually, slipway, up } from '../support/slipway.js';

interface ListedState {
  readonly running: readonly { readonly image: string }[];
  readonly waiting: readonly { readonly image: string }[];
}

test('a person raises a limit, pauses and drops, among 200 pulls that wait', async (ctx) => {
  needs(ctx, 'Chromium');
  await using limiter = await startLimiter(2);
  limiter.pull(Array.from({ length: 202 }, (_, index) => `registry.example/team/app-${index}:1.0`));
  await eventually('two pulls run', async () => limiter.runtime.pulls.length === 2);
  await using cluster = await up({ args: ['--ephemeral'], nodes: 1 });
  const flags = ['--pulls', `worker-3=${limiter.admin}`, '--journal', limiter.journal];
  await using console = await startConsole(cluster.kubeconfig, { flags });
  const { browser, page, complaints } = await watchedBrowser(console.url);
  await using _ = browser;
  await signIn(page, console.address);
  await page.goto(`${console.url}/pulls`);
  const of = (...words: string[]) => slipway(['pulls', ...words, '--listen', limiter.listen]);
  const listed = async () => JSON.parse((await of('list', '-o', 'json')).stdout) as ListedState;

  await page.getByText('2 of 2 slots in use, 200 waiting').waitFor();
  const { stdout, stderr } = await of('list');
  expect(await page.locator('.limiter > [role="status"]').innerText()).toBe(stderr.trim());
  const lines = stdout.split('\n').map((line) => line.split(/ {3,}/));
  const drawn = await cellsOf(page, 'Pulls of worker-3', ['image', 'state', 'callers']);
  expect(drawn.length).toBeGreaterThan(10);
  expect(drawn.length).toBeLessThan(80);
  expect(drawn).toEqual(lines.slice(1, drawn.length + 1).map(([image, state, callers]) => [image, state, callers]));
  expect(await axeProblems(page)).toEqual([]);

  await page.getByRole('textbox', { name: 'Limit' }).fill('5');
  await page.getByRole('button', { name: 'Set limit' }).click();
  await page.getByText('5 of 5 slots in use, 197 waiting').waitFor();
  await eventually('the runtime has five pulls', async () => limiter.runtime.pulls.length === 5);
  expect((await of('limit')).stdout).toBe('5\n');

  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('5 of 5 slots in use, 197 waiting; paused').waitFor();
  limiter.runtime.pulls[0]?.succeed();
  await page.getByText('4 of 5 slots in use, 197 waiting; paused').waitFor();
  const [next] = (await listed()).waiting;
  await page.getByRole('button', { name: `Drop ${next?.image}`, exact: true }).click();
  await page.getByText('4 of 5 slots in use, 196 waiting; paused').waitFor();
  expect((await listed()).waiting.map(({ image }) => image)).not.toContain(next?.image);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('5 of 5 slots in use, 195 waiting').waitFor();

  await page.getByRole('button', { name: 'What would another limit mean?' }).click();
  const outlook = await slipway(['pulls', 'what-if', '--journal', limiter.journal]);
  const verdict = await page.locator('.outlook strong').innerText();
  expect(verdict).toMatch(/^Recommended: /);
  expect(outlook.stdout.trim().split('\n').at(-1)).toBe(verdict);
  expect(await page.locator('.chart tbody tr').count()).toBe(17);
  expect(await axeProblems(page)).toEqual([]);
  expect(await overhang(page, [390, 1440])).toEqual({ 390: 0, 1440: 0 });
  expect(complaints).toEqual([]);
});

test('nodes show which images their pods wait for, and what what-if says of their events', async (ctx) => {
  needs(ctx, 'Chromium');
  needs(ctx, 'kubectl');
  await using limiter = await startLimiter(1);
  const images = `${limiter.journal}/images.yaml`;
  writeFileSync(
    images,
    `size: 1Mi
bandwidth: 1Mi
images:
  - {name: "registry.example/slow:1", size: 100Gi}
  - {name: "registry.example/broken:1", error: "manifest <img src=x onerror=alert(1)> unknown"}
`,
  );
  await using cluster = await up({ args: ['--ephemeral', '--images', images], nodes: 1 });
  for (const name of ['quick', 'slow', 'broken']) {
    await cluster.kubectl(['run', name, `--image=registry.example/${name}:1`]);
  }
  await using console = await startConsole(cluster.kubeconfig);
  const { browser, page, complaints } = await watchedBrowser(console.url);
  await using _ = browser;
  await signIn(page, console.address);
  await page.goto(`${console.url}/pulls`);
  await page.getByText('No pull limiter runs on this machine').waitFor();
  await eventually('the table counts the pulls of the node', async () => {
    const cells = await cellsOf(page, 'Nodes', ['node', 'pulling', 'failing', 'ended']);
    return JSON.stringify(cells) === JSON.stringify([['n1', '1', '1', '1']]);
  });
  expect(await axeProblems(page)).toEqual([]);
  await page.getByRole('link', { name: 'n1' }).click();
  await eventually('the pods that wait are listed', async () => {
    const cells = await cellsOf(page, 'Pulls of n1', ['pod', 'state', 'image']);
    const rows = cells.map((row) => row.join(' ')).sort();
    return (
      rows.join() === 'default/broken failed registry.example/broken:1,default/slow pulling registry.example/slow:1'
    );
  });
  const events = `${limiter.journal}/events.json`;
  writeFileSync(events, (await cluster.kubectl(['get', 'events', '-A', '-o', 'json'])).stdout);
  const { stdout } = await cluster.slipway(['pulls', 'what-if', '--from-events', events]);
  await page.reload();
  expect(stdout.trim().split('\n').at(-1)).toBe(await page.locator('.outlook strong').innerText());
  expect(await axeProblems(page)).toEqual([]);
  expect(await overhang(page, [390, 1440])).toEqual({ 390: 0, 1440: 0 });
  await cluster.kubectl(['delete', 'pod', 'broken', 'slow', '--now']);
  await page.getByText('No pod of this node waits for an image.').waitFor();
  expect(complaints).toEqual([]);
});
