/**
 * The console in a browser over a cluster of 5,000 nodes and its features: until a page is usable, what it loads, how soon
 * it shows a change of the API, and how many frames are drawn while 5,000 rows scroll. Times are of two processors without
 * other load, and include the browser.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { Node } from '@slipway/balloons';
import { Kube, type KubeObject } from '@slipway/kube';
import { chromium, type Page } from 'playwright-core';
import { cpuMicros, end, residentMegabytes, startCluster } from './support/cluster.js';
import { quantile, report } from './support/report.js';

const nodes = Number(process.env.BENCH_NODES ?? 5_000);
const changes = 40;
const scrollMs = 3_000;
const program = fileURLToPath(new URL('../../packages/cli/bin/slipway.js', import.meta.url));
const pagesFile = new URL('../../packages/console/dist/server/console-pages.json', import.meta.url);

const cluster = await startCluster('--ephemeral', '--nodes', '1');
const kube = await Kube.connect({ kubeconfig: cluster.kubeconfig, qps: 5_000, burst: 10_000 });
await Promise.all(Array.from({ length: nodes - 1 }, (_, index) => addNode(`big-${String(index).padStart(4, '0')}`)));
// The balloon controller looks at 5,000 new nodes meanwhile, and the console is what is measured.
await new Promise((resolve) => setTimeout(resolve, 10_000));
const served = await startConsole();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });

const cpuBefore = cpuMicros(served.process.pid ?? 0);
const firstViewMs = await timed(
  () => page.goto(served.address),
  page.locator('main h1'),
  page.locator('.empty, .matters'),
);
const firstViewCpuMs = (cpuMicros(served.process.pid ?? 0) - cpuBefore) / 1_000;
const featuresMs = await timed(() => page.goto(`${served.url}/features`), page.locator('.table-body .row').first());
const nodesMs = await timed(() => page.goto(`${served.url}/nodes`), page.locator('.table-body .row').first());
const seen = await changesSeen(page);
const scrolled = await whileScrolling(page);
const plain = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await plain.setContent(`<div style="height: ${nodes * 40}px">plain</div>`);
const ofPlain = await whileScrolling(plain);
const pages = JSON.parse(readFileSync(pagesFile, 'utf8')) as Record<string, { readonly text: string }>;
const script = Object.entries(pages).find(([path]) => path.endsWith('.js'))?.[1].text ?? '';
const memory = residentMegabytes(served.process.pid ?? 0);
await browser.close();
await end(served.process);
await cluster.stop();

const row = (what: string, unit: string, value: number, limit: number) =>
  ({ what, unit, value, anchor: { name: 'limit', value: limit }, better: 'less' }) as const;
report('console', [
  row('first view usable', 'ms', firstViewMs, 1_000),
  row('the same, CPU time of the console', 'ms', firstViewCpuMs, 500),
  row('all features', 'ms', featuresMs, 1_000),
  row(`${nodes} nodes`, 'ms', nodesMs, 1_000),
  row('script, compressed', 'kB', brotliCompressSync(script).length / 1_000, 250),
  row('a change of the API is visible, p50', 'ms', quantile(seen, 0.5), 300),
  row('a change of the API is visible, the slowest', 'ms', quantile(seen, 1), 300),
  {
    what: `frames while ${nodes} rows scroll`,
    unit: '/s',
    value: scrolled.frames,
    anchor: { name: 'an empty page', value: ofPlain.frames },
    better: 'more',
  },
  row('CPU time of the page for each of them', 'ms', scrolled.cpuMs, 1_000 / 60),
  { what: 'memory of the console', unit: 'MB', value: memory, better: 'less' },
]);

function node(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {} } as KubeObject;
}

async function addNode(name: string): Promise<void> {
  await kube.resource(Node).create(node(name));
}

/** The console as a person starts it. */
async function startConsole(): Promise<{ process: ChildProcess; url: string; address: string }> {
  const words = ['console', '--kubeconfig', cluster.kubeconfig, '--port', '0', '-o', 'json'];
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  return { process: child, ...(JSON.parse(line) as { url: string; address: string }) };
}

type Locator = ReturnType<Page['locator']>;

/** Milliseconds until everything is there that was waited for. */
async function timed(act: () => Promise<unknown>, ...shown: readonly Locator[]): Promise<number> {
  const beganAt = performance.now();
  await act();
  for (const one of shown) await one.waitFor();
  return performance.now() - beganAt;
}

/** Milliseconds from a request to the API until the page has drawn the row that it makes. */
async function changesSeen(shown: Page): Promise<readonly number[]> {
  const found: number[] = [];
  for (let index = 0; index < changes; index++) {
    const name = `a-${String(changes - index).padStart(4, '0')}`;
    const drawn = shown.evaluate(`new Promise((resolve) => {
      const look = () => document.querySelector('[data-at="0"]')?.textContent.startsWith('${name}') ? resolve(Date.now()) : requestAnimationFrame(look);
      look();
    })`) as Promise<number>;
    await shown.evaluate('1');
    const beganAt = Date.now();
    await addNode(name);
    found.push((await drawn) - beganAt);
  }
  return found;
}

/** Frames a second while a page scrolls as fast as a person turns a wheel, and the CPU time that its main thread has for each. */
async function whileScrolling(shown: Page): Promise<{ readonly frames: number; readonly cpuMs: number }> {
  const session = await shown.context().newCDPSession(shown);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taskSeconds = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  };
  const before = await taskSeconds();
  const { frames, ms } = (await shown.evaluate(`new Promise((resolve) => {
    const beganAt = performance.now();
    let frames = 0;
    const step = (now) => {
      frames++;
      scrollBy(0, 60);
      if (now - beganAt < ${scrollMs}) requestAnimationFrame(step);
      else resolve({ frames, ms: now - beganAt });
    };
    requestAnimationFrame(step);
  })`)) as { frames: number; ms: number };
  return { frames: (frames * 1_000) / ms, cpuMs: (((await taskSeconds()) - before) * 1_000) / frames };
}
