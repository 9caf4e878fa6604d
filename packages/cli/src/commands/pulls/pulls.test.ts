import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminOf, type PullState } from '@slipway/image-pulls';
import { serve } from '@slipway/image-pulls/serve';
import { type CriClient, criClient, eventually, type FakeRuntime, fakeRuntime } from '@slipway/image-pulls/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { recordedTerminal } from '../../testing/recorded-terminal.js';

// Sockets take their time on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

import { main } from '../../runtime/main.js';

let folder: string;
let runtime: FakeRuntime;
let client: CriClient;
let stop: () => Promise<void>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pulls-'));
  runtime = await fakeRuntime(join(folder, 'runtime.sock'));
  const listen = join(folder, 'image.sock');
  const flags = { runtime: join(folder, 'runtime.sock'), listen, limit: 1 };
  const serving = await serve({ flags, log: () => {} });
  await eventually('the runtime is up', () => serving.daemon.state().runtimeUp);
  client = criClient(listen);
  stop = async () => {
    client.close();
    await serving.close();
    await runtime.kill();
  };
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

async function slipway(...words: string[]) {
  const { terminal, written } = recordedTerminal();
  const nouns = [{ name: 'pulls', summary: 'Limit pulls', load: () => import('./pulls.js') }];
  const code = await main(['pulls', ...words], nouns, terminal, new AbortController().signal);
  return { code, ...written };
}

const on = () => ['--listen', join(folder, 'image.sock')];

/** One pull that runs and two that wait. */
async function busy(): Promise<void> {
  for (const image of ['r.example/a:1', 'r.example/b:1', 'r.example/c:1']) {
    client.pull(image, { sandbox: { name: 'web', uid: `uid-${image}`, namespace: 'shop' } });
  }
  await eventually('two wait', async () => {
    const { out } = await slipway('list', ...on(), '-o', 'json');
    return (JSON.parse(out) as PullState).waiting.length === 2;
  });
}

test('pulls list shows what runs and what waits, in order', async () => {
  await busy();
  const { code, out, err } = await slipway('list', ...on());
  expect(code).toBe(0);
  expect(err).toBe('1 of 1 places taken, 2 waiting\n');
  expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
    ['IMAGE', 'STATE', 'CALLERS'],
    ['r.example/a:1', 'running', '1'],
    ['r.example/b:1', 'waiting, position 1', '1'],
    ['r.example/c:1', 'waiting, position 2', '1'],
    [''],
  ]);
  expect((await slipway('list', ...on(), '-o', 'name')).out).toBe('r.example/a:1\nr.example/b:1\nr.example/c:1\n');
});

test('pulls limit sets and shows the limit, and waiting pulls start', async () => {
  await busy();
  expect((await slipway('limit', ...on())).out).toBe('1\n');
  expect((await slipway('limit', '2', ...on())).out).toBe('2\n');
  await eventually('two run', () => runtime.pulls.length === 2);
  expect((await slipway('limit', '0', ...on())).out).toBe('no limit\n');
  await eventually('all run', () => runtime.pulls.length === 3);
  const wrong = await slipway('limit', 'four', ...on());
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('0 to 10000')]);
});

test('pulls pause starts nothing until resume', async () => {
  expect((await slipway('pause', ...on())).code).toBe(0);
  client.pull('r.example/a:1');
  await eventually('it waits', async () => (await slipway('list', ...on())).err.includes('1 waiting; paused'));
  expect(runtime.pulls).toEqual([]);
  expect((await slipway('resume', ...on())).out).toBe('Resumed, 1 running.\n');
  await eventually('it runs', () => runtime.pulls.length === 1);
});

test('pulls drop refuses who waits, and says no when nobody does', async () => {
  await busy();
  expect(await slipway('drop', 'r.example/b:1', ...on())).toMatchObject({
    code: 0,
    out: 'Dropped 1 waiting for r.example/b:1.\n',
  });
  expect(await slipway('drop', 'r.example/b:1', ...on())).toMatchObject({ code: 1 });
}, 10_000);

test('pulls ensure pulls through the limiter with the option, and says what happened as events', async () => {
  const socket = join(folder, 'image.sock');
  const pulled = slipway('ensure', 'r.example/a:1', '--runtime', socket, '--limit', '1');
  await eventually('it runs', () => runtime.pulls.length === 1);
  expect(runtime.pulls[0]?.headers['slipway-max-parallel-image-pulling']).toBe('1');
  runtime.pulls[0]?.succeed();
  const { code, out, err } = await pulled;
  expect([code, out]).toEqual([0, 'sha256:r.example/a:1\n']);
  expect(err).toMatch(/^Normal Pulling: .*\nNormal Pulled: Successfully pulled image "r.example\/a:1" in .*\n$/);
  expect((await slipway('ensure', 'r.example/none:1', '--policy', 'Never', '--runtime', socket)).code).toBe(1);
  expect((await slipway('ensure', 'a', '--runtime', join(folder, 'nobody.sock'))).code).toBe(4);
});

test('pulls check says what a configuration comes to', async () => {
  const file = join(folder, 'pulls.yaml');
  const kubelet = join(folder, 'kubelet.yaml');
  writeFileSync(file, 'limit: 4\n');
  expect(await slipway('check', file)).toMatchObject({ code: 0, out: `${file}: at most 4 at once, on full wait\n` });
  writeFileSync(kubelet, 'serializeImagePulls: false\nmaxParallelImagePulling: 3\n');
  expect(await slipway('check', '--kubelet-config', kubelet)).toMatchObject({
    code: 0,
    out: `${kubelet}: at most 3 at once; a kubelet alone runs unlimited\n`,
  });
  writeFileSync(kubelet, 'serializeImagePulls: true\nmaxParallelImagePulls: 3\n');
  expect((await slipway('check', '--kubelet-config', kubelet)).code).toBe(1);
  writeFileSync(file, 'limits: 4\n');
  expect(await slipway('check', file)).toMatchObject({ code: 2, err: expect.stringContaining('is limit meant?') });
  expect((await slipway('check')).code).toBe(2);
});

test('a limiter that is not there is said with what to do', async () => {
  const { code, err } = await slipway('list', '--listen', join(folder, 'nobody.sock'));
  expect(code).toBe(4);
  expect(err).toContain(`no pull limiter answers at ${adminOf(join(folder, 'nobody.sock'))}`);
  expect(err).toContain('To fix: start one with slipway pulls serve');
});
