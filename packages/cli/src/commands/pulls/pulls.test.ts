import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adminClient, adminOf, type NodeFinding, type PullState } from '@slipway/image-pulls';
import { type Serving, serve } from '@slipway/image-pulls/serve';
import { type CriClient, criClient, eventually, type FakeRuntime, fakeRuntime } from '@slipway/image-pulls/testing';
import { parseYaml } from '@slipway/safe-yaml';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { recordedRun } from '../../testing/recorded-run.js';
import { recordedTerminal } from '../../testing/recorded-terminal.js';

// Sockets take their time on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

import { nouns } from '../../command-line.js';
import { main } from '../../run-command.js';
import { testFolder } from '../../testing/test-folder.js';

const repository = fileURLToPath(new URL('../../../../../', import.meta.url));

let folder: string;
let runtime: FakeRuntime;
let client: CriClient;
let serving: Serving;

beforeEach(async () => {
  folder = testFolder();
  runtime = await fakeRuntime(join(folder, 'runtime.sock'));
  await start();
  client = criClient(join(folder, 'image.sock'));
});
afterEach(async () => {
  client.close();
  await serving.close();
  await runtime.kill();
});

async function start(): Promise<void> {
  const flags = { runtime: join(folder, 'runtime.sock'), listen: join(folder, 'image.sock'), limit: 1 };
  serving = await serve({ flags, log: () => {} });
  await eventually('the runtime is up', () => serving.daemon.state().runtimeUp);
}

const slipway = (...words: string[]) => recordedRun(['pulls', ...words]);

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
  expect(err).toBe('1 of 1 slots in use, 2 waiting\n');
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

test('pulls drop refuses who waits, and says no when no caller does', async () => {
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

test('pulls describe shows one pull with its callers', async () => {
  await busy();
  const { code, out } = await slipway('describe', 'r.example/b:1', ...on());
  expect(code).toBe(0);
  expect(out).toMatch(
    /^Image: {4}r.example\/b:1\nRegistry: r.example\nState: {4}waiting, position 1\nKey: {6}[0-9a-f]{8}\n/,
  );
  expect(out).toContain('Callers:  1, for shop/web\n');
  const none = await slipway('describe', 'r.example/none:1', ...on());
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('To fix: see slipway pulls list')]);
});

test('pulls top tells each change of a pull once, or everything as JSON', async () => {
  await busy();
  const stop = new AbortController();
  const watched = recordedTerminal();
  const top = main(['pulls', 'top', ...on(), '--every', '100ms'], nouns, watched.terminal, stop.signal);
  await eventually('it shows', () => watched.written.out.includes('position 2'));
  runtime.pulls[0]?.succeed();
  await eventually('it shows more', () => watched.written.out.includes('r.example/c:1: waiting, position 1'));
  stop.abort(new Error('enough'));
  await top;
  expect(watched.written.out.split('\n').sort()).toEqual([
    '',
    'r.example/a:1: running',
    'r.example/b:1: running',
    'r.example/b:1: waiting, position 1',
    'r.example/c:1: waiting, position 1',
    'r.example/c:1: waiting, position 2',
  ]);
});

test('pulls drop --pod-uid refuses what a pod waits for', async () => {
  await busy();
  expect(await slipway('drop', '--pod-uid', 'uid-r.example/c:1', ...on())).toMatchObject({ code: 0 });
  expect((await slipway('list', ...on(), '-o', 'name')).out).toBe('r.example/a:1\nr.example/b:1\n');
  expect(await slipway('drop', ...on())).toMatchObject({ code: 2 });
});

test('pulls list and pulls limit say that the limit is that of the cluster', async () => {
  await adminClient(adminOf(join(folder, 'image.sock'))).setClusterLimit(2, 60_000);
  expect((await slipway('list', ...on())).err).toBe('0 of 2 slots in use, 0 waiting; limit of the cluster\n');
  expect(JSON.parse((await slipway('limit', ...on(), '-o', 'json')).out)).toEqual({ limit: 2, source: 'cluster' });
});

test('pulls limit --for sets a limit for a while', async () => {
  expect((await slipway('limit', '7', '--for', '300ms', ...on())).out).toBe('7\n');
  await eventually('it is as configured again', async () => (await slipway('limit', ...on())).out === '1\n');
  expect((await slipway('limit', '--for', '1h', ...on())).code).toBe(2);
});

test('pulls bypass lets everything through until --off, also when the limiter starts again', async () => {
  await busy();
  expect((await slipway('bypass', ...on())).out).toBe('Everything passes as it is.\n');
  await eventually('all run', () => runtime.pulls.length === 3);
  client.pull('r.example/d:1');
  await eventually('so does the next, unread', () => runtime.pulls.length === 4);
  expect((await slipway('list', ...on())).err).toContain('3 running, no limit, 0 waiting; bypassed');
  await serving.close();
  await start();
  expect((await slipway('list', ...on())).err).toContain('bypassed');
  await serving.close();
  expect((await slipway('bypass', '--off', ...on())).out).toContain('which does not run now');
  await start();
  expect((await slipway('list', ...on())).err).toContain('0 of 1 slots in use, 0 waiting\n');
});

test.each([
  [['limit', '3'], { limit: 3, source: 'manual' }],
  [['pause'], { paused: true, waiting: 0 }],
  [['resume'], { paused: false, running: 0 }],
  [['drop', 'x'], { dropped: 0 }],
  [['bypass'], { bypassed: true, running: true }],
  [['bypass', '--off'], { bypassed: false, running: true }],
])('pulls %j answers a program as JSON and YAML', async (words, expected) => {
  expect(JSON.parse((await slipway(...words, ...on(), '-o', 'json')).out)).toEqual(expected);
  expect(parseYaml((await slipway(...words, ...on(), '-o', 'yaml')).out)).toEqual(expected);
});

test('pulls install shows the plan first, changes files only with consent, and uninstall puts them back', async () => {
  const kubelet = join(folder, 'var/lib/kubelet/config.yaml');
  mkdirSync(join(folder, 'var/lib/kubelet'), { recursive: true });
  writeFileSync(kubelet, 'serializeImagePulls: false\n');
  const root = ['--root', folder];
  const flags = ['--limit', '4', '--command', '/usr/local/bin/slipway', ...root];
  const plan = await slipway('install', '--dry-run', ...flags);
  expect(plan.code).toBe(0);
  expect(plan.out).toContain(
    '/var/lib/kubelet/config.yaml\n  serializeImagePulls: false\n+ imageServiceEndpoint: unix:///run/slipway/pulls/image.sock\n',
  );
  expect(plan.out).toContain('/etc/systemd/system/slipway-pulls.service (new)\n');
  const asked = await slipway('install', ...flags);
  expect([asked.code, asked.err]).toEqual([1, expect.stringContaining('To fix: agree with --yes')]);
  expect(readFileSync(kubelet, 'utf8')).toBe('serializeImagePulls: false\n');
  const done = await slipway('install', '--yes', ...flags);
  expect([done.code, done.out]).toEqual([0, expect.stringContaining('Now run: systemctl daemon-reload')]);
  expect(readFileSync(kubelet, 'utf8')).toContain('imageServiceEndpoint');
  expect((await slipway('install', '--yes', ...flags)).out).toBe('Nothing to change.\n');
  expect((await slipway('uninstall', '--dry-run', ...root)).out).toContain('- imageServiceEndpoint');
  expect((await slipway('uninstall', '--yes', ...root)).code).toBe(0);
  expect(readFileSync(kubelet, 'utf8')).toBe('serializeImagePulls: false\n');
  const none = await slipway('uninstall', '--yes', ...root);
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('nothing is installed here')]);
});

test('pulls install of a checkout is refused, with what to do', async () => {
  const { code, err } = await slipway('install', '--yes', '--command', join(repository, 'slipway'));
  expect(code).toBe(1);
  expect(err).toContain('belongs to the checkout at');
  expect(err).toContain('To fix: install a release');
  expect((await slipway('install', '--yes', '--command', 'slipway')).code).toBe(2);
});

test('pulls doctor says what is wrong, with what to do', async () => {
  mkdirSync(join(folder, 'var/lib/kubelet'), { recursive: true });
  writeFileSync(join(folder, 'var/lib/kubelet/config.yaml'), 'kind: KubeletConfiguration\n');
  const { code, out, err } = await slipway('doctor', '--root', folder, ...on());
  expect(code).toBe(1);
  expect(out).toMatch(/^serial kubelet +problem|\nserial kubelet +note/m);
  expect(err).toContain('To fix: slipway pulls install\n');
  const findings = JSON.parse((await slipway('doctor', '--root', folder, ...on(), '-o', 'json')).out) as NodeFinding[];
  expect(findings.find(({ check }) => check === 'limiter')).toMatchObject({
    result: 'ok',
    message: 'at most 1 at once',
  });
});

test('pulls what-if recommends from a journal, or says why not', async () => {
  const journal = join(folder, 'journal');
  mkdirSync(journal);
  const few = await slipway('what-if', '--journal', journal);
  expect([few.code, few.out]).toEqual([3, expect.stringContaining('not enough overlap in the records')]);
  // 40 images of 1 MiB asked for at once, over a link of 1 MiB/s that all share.
  const lines = Array.from({ length: 40 }, (_, index) => {
    const entry = { askedAt: '2026-01-01T00:00:00Z', image: `r/${index}`, registry: 'r', key: `${index}`, pods: [] };
    const how = { callers: 1, waitedMs: 0, pulledMs: 40_100, bytes: 1 << 20, layers: 1, outcome: 'ok', limit: 0 };
    return `${JSON.stringify({ ...entry, ...how })}\n`;
  });
  writeFileSync(join(journal, 'pulls.ndjson'), `${lines.join('')}{"cut off`);
  const { out, err } = await slipway('what-if', '--journal', journal, '--limits', '1-4');
  expect(err).toContain('1 lines of');
  expect(out).toContain('40 pulls without a limit, 40.1s on average');
  const none = await slipway('what-if', '--journal', join(folder, 'nowhere'));
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('To fix: set journal.dir')]);
  expect((await slipway('what-if', '--limits', '4-1')).code).toBe(2);
});

test('pulls ensure takes the credentials of the registry from a docker configuration', async () => {
  const socket = join(folder, 'image.sock');
  const secret = join(folder, 'config.json');
  writeFileSync(secret, JSON.stringify({ auths: { 'r.example': { username: 'ann', password: 'right' } } }));
  const pulled = slipway('ensure', 'r.example/a:1', '--runtime', socket, '--secret', secret, '-o', 'json');
  await eventually('it runs', () => runtime.pulls.length === 1);
  expect(runtime.pulls[0]?.body.includes('right')).toBe(true);
  runtime.pulls[0]?.succeed();
  expect(JSON.parse((await pulled).out)).toEqual({ kind: 'pulled', imageRef: 'sha256:r.example/a:1' });
  const other = await slipway('ensure', 'other.example/a:1', '--runtime', socket, '--secret', secret);
  expect([other.code, other.err]).toEqual([2, expect.stringContaining('no credentials for other.example')]);
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
  writeFileSync(kubelet, '{\n\t"serializeImagePulls": false\n}');
  const dropIns = join(folder, 'kubelet.d');
  mkdirSync(dropIns);
  writeFileSync(join(dropIns, '10-pulls.conf'), '{"maxParallelImagePulling": 3}');
  expect((await slipway('check', '--kubelet-config', kubelet, '--kubelet-config-dir', dropIns)).out).toContain(
    'at most 3 at once',
  );
  writeFileSync(file, 'limits: 4\n');
  expect(await slipway('check', file)).toMatchObject({ code: 2, err: expect.stringContaining('is limit meant?') });
  expect((await slipway('check')).code).toBe(2);
});

test('pulls check reports every bad address on a line of its own', async () => {
  const file = join(folder, 'pulls.yaml');
  const long = `/run/${'x'.repeat(110)}`;
  writeFileSync(
    file,
    `listen: fd:4\nruntime: tcp://127.0.0.1:1\nadmin: ${long}\nmetrics: 127.0.0.1:99999\nlimits: 4\n`,
  );
  const { code, out, err } = await slipway('check', file);
  expect([code, out]).toEqual([2, '']);
  expect(err.split('\n')).toEqual([
    `slipway: ${file}: line 1, column 9: listen: "fd:4" is not a passed socket: write fd:3`,
    `slipway: ${file}: line 2, column 10: runtime: "tcp://127.0.0.1:1" is not a unix socket: write unix:///path/to.sock`,
    `slipway: ${file}: line 3, column 8: admin: ${long} has 115 bytes, and a socket path can have at most 107`,
    expect.stringContaining(`line 4, column 10: metrics: "127.0.0.1:99999" is not an address`),
    'To fix: correct the file named above',
    '',
  ]);
});

test('a limiter that is not there is said with what to do', async () => {
  const { code, err } = await slipway('list', '--listen', join(folder, 'nobody.sock'));
  expect(code).toBe(4);
  expect(err).toContain(`no pull limiter answers at ${adminOf(join(folder, 'nobody.sock'))}`);
  expect(err).toContain('To fix: start one with slipway pulls serve');
});
