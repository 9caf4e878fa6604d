import { once } from 'node:events';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { PullsConfiguration } from '../config/pulls-configuration.js';
import { type CriClient, criClient } from '../testing/cri-client.js';
import { eventually } from '../testing/eventually.js';
import { type FakeRuntime, fakeRuntime } from '../testing/fake-runtime.js';
import { testFolder } from '../testing/test-folder.js';
import { adminClient } from './admin-client.js';
import { handOverPath, handOverProtocol } from './hand-over-messages.js';
import { type Serving, serve } from './serve.js';

interface World {
  readonly folder: string;
  readonly runtime: FakeRuntime;
  readonly admin: ReturnType<typeof adminClient>;
  readonly old: Serving;
  readonly flags: PullsConfiguration;
  start(flags?: PullsConfiguration, config?: string): Promise<Serving>;
  client(): CriClient;
}

/** A daemon with metrics at a TCP port that others may have opened connections to. */
async function world(limit = 1): Promise<World> {
  const folder = testFolder();
  const paths = { runtime: join(folder, 'runtime.sock'), listen: join(folder, 'image.sock') };
  const runtime = await fakeRuntime(paths.runtime);
  onTestFinished(() => runtime.kill());
  const flags = { ...paths, limit, metrics: `127.0.0.1:${await freePort()}` };
  const start = async (more: PullsConfiguration = {}, config?: string) => {
    const serving = await serve({ flags: { ...flags, ...more }, config, takeOver: true, log: () => {} });
    onTestFinished(() => serving.close());
    return serving;
  };
  const old = await start();
  await eventually('the runtime is up', () => old.daemon.state().runtimeUp);
  const client = () => {
    const opened = criClient(paths.listen);
    onTestFinished(() => opened.close());
    return opened;
  };
  return { folder, runtime, admin: adminClient(`${paths.listen}.admin`), old, flags, start, client };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** What a scraper or a kubelet does: keeps its connection open. */
async function scraper({ flags }: World): Promise<Socket> {
  const socket = connect(Number(flags.metrics?.split(':')[1]), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function scraped(socket: Socket): Promise<string> {
  socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
  let text = '';
  while (!text.includes('slipway_pulls_limit ')) text += String((await once(socket, 'data'))[0]);
  return text;
}

const images = ({ pulls }: FakeRuntime) => pulls.map(({ image }) => image).join('');
const codeOf = async ({ result }: ReturnType<CriClient['pull']>) => (await result).code;
const waiting = ({ daemon }: Serving) =>
  daemon
    .state()
    .waiting.map(({ image }) => image)
    .join('');

test('every listener moves while connections to all of them are open, and the old daemon ends', async () => {
  const all = await world();
  const { runtime, admin, old, client, start } = all;
  const before = client();
  const pulls = ['a', 'b', 'c'].map((image) => before.pull(image));
  await eventually('two wait', () => waiting(old) === 'bc');
  const open = await scraper(all);
  await scraped(open);
  const next = await start({ limit: 2 });
  expect(await scraped(await scraper(all))).toContain('slipway_pulls_limit 2');
  expect((await admin.state()).limit).toBe(2);
  const later = client().pull('d');
  await eventually('it waits behind them', () => waiting(next) === 'cd');
  for (let at = 0; at < 4; at += 1) {
    await eventually(`pull ${at} runs`, () => runtime.pulls.length > at);
    runtime.pulls[at]?.succeed();
  }
  expect(await Promise.all([...pulls, later].map(codeOf))).toEqual([0, 0, 0, 0]);
  await old.takenOver;
});

test('the pause and limits set at run time are handed over, with the time that is left of them', async () => {
  const { admin, old, start } = await world(3);
  await admin.setLimit(7, 3_600_000);
  await admin.setClusterLimit(5, 3_600_000);
  await admin.pause();
  const next = await start();
  await old.takenOver;
  expect(next.daemon.state()).toMatchObject({ limit: 7, paused: true });
  const third = await start();
  await next.takenOver;
  await third.reload();
  expect(third.daemon.state()).toMatchObject({ limit: 7, paused: true });
  await admin.setLimit(7);
  await third.reload();
  expect(await admin.state()).toMatchObject({ limit: 5, limitSource: 'cluster' });
});

test('what waits keeps its order, also when the daemon that takes over is taken over itself', async () => {
  const { runtime, old, client, start } = await world();
  const asking = client();
  const pulls = [...'abcdefgh'].map((image) => asking.pull(image));
  await eventually('seven wait', () => waiting(old) === 'bcdefgh');
  const second = await start();
  const third = await start();
  expect([waiting(third), third.daemon.state().counted]).toEqual(['bcdefgh', 1]);
  for (let at = 0; at < 8; at += 1) {
    await eventually(`pull ${at} runs`, () => runtime.pulls.length > at);
    expect(runtime.pulls).toHaveLength(at + 1);
    runtime.pulls[at]?.succeed();
  }
  expect(images(runtime)).toBe('abcdefgh');
  expect(new Set(await Promise.all(pulls.map(codeOf)))).toEqual(new Set([0]));
  await Promise.all([old.takenOver, second.takenOver]);
});

test('the pods of what waits are handed over, and one that is gone no longer waits', async () => {
  const { admin, runtime, old, client, start } = await world();
  const asking = client();
  const call = (image: string, name: string) =>
    asking.pull(image, { sandbox: { name, uid: `uid-${name}`, namespace: 'shop' } });
  const pulls = [call('a', 'first'), call('b', 'one'), call('b', 'two'), call('c', 'three')];
  await eventually('two wait', () => waiting(old) === 'bc' && old.daemon.state().waiting[0]?.callers === 2);
  const next = await start();
  const waitingPods = () => next.daemon.state().waiting.map(({ image, pods, podUids }) => [image, pods, podUids]);
  expect(waitingPods()).toEqual([
    ['b', ['shop/one', 'shop/two'], ['uid-one', 'uid-two']],
    ['c', ['shop/three'], ['uid-three']],
  ]);
  expect(await admin.podsGone(['uid-one', 'uid-three'])).toEqual({ dropped: 2 });
  expect(waitingPods()).toEqual([['b', ['shop/two'], ['uid-two']]]);
  expect(await codeOf(pulls[3] as (typeof pulls)[0])).toBe(10);
  runtime.pulls[0]?.succeed();
  await eventually('the next one runs', () => runtime.pulls.length === 2);
  runtime.pulls[1]?.succeed();
  expect(await codeOf(pulls[2] as (typeof pulls)[0])).toBe(0);
  await old.takenOver;
});

test('a pull that is only looked up yet when another daemon takes over is pulled, too', async () => {
  const { runtime, old, client, start } = await world();
  let answer: (() => void) | undefined;
  runtime.serve('/runtime.v1.ImageService/ImageStatus', (stream) => {
    stream.resume();
    const headers = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '0' };
    answer = () => stream.respond(headers, { endStream: true });
  });
  const pull = client().pull('a');
  await eventually('it is looked up', () => answer !== undefined);
  await start();
  answer?.();
  await eventually('it runs', () => runtime.pulls.length === 1);
  runtime.pulls[0]?.succeed();
  expect(await codeOf(pull)).toBe(0);
  await old.takenOver;
});

test('what waits is not refused by a daemon that lets fewer wait', async () => {
  const { folder, runtime, old, client, start } = await world();
  const asking = client();
  const pulls = [...'abc'].map((image) => asking.pull(image));
  await eventually('two wait', () => waiting(old) === 'bc');
  const config = join(folder, 'pulls.yaml');
  writeFileSync(config, 'maxWaiting: 1\n');
  const next = await start({}, config);
  expect(waiting(next)).toBe('bc');
  expect((await client().pull('d').result).details).toContain('the queue behind them is full');
  for (const at of [0, 1, 2]) {
    await eventually(`pull ${at} runs`, () => runtime.pulls.length > at);
    runtime.pulls[at]?.succeed();
  }
  expect(await Promise.all(pulls.map(codeOf))).toEqual([0, 0, 0]);
});

test('a reason that only a later version knows refuses a pull, and nothing else', async () => {
  const all = await world();
  const { old, client } = all;
  const asking = client();
  asking.pull('a');
  const denied = asking.pull('b');
  await eventually('one waits', () => waiting(old) === 'b');
  const fake = await newDaemon(all);
  fake.write('{"say":"take"}\n{"say":"deny","id":"pull 2","reason":"constructor"}\n');
  expect((await denied.result).details).toContain('dropped by hand');
  fake.destroy();
  await servesOn(all);
});

test('a pull that is dropped in the new daemon is refused in the old one', async () => {
  const { admin, old, client, start } = await world();
  const asking = client();
  asking.pull('a');
  const dropped = asking.pull('b');
  await eventually('one waits', () => waiting(old) === 'b');
  await start();
  expect(await admin.drop('b')).toEqual({ dropped: 1 });
  expect((await dropped.result).details).toContain('dropped by hand');
});

test.each([
  ['its metrics address is taken', 'metrics'],
  ['a file is at its metrics address', 'file'],
] as const)('when %s the new daemon ends and the old one goes on', async (_, broken) => {
  const all = await world();
  const { folder, runtime, old, client, start } = all;
  const asking = client();
  const pulls = ['a', 'b'].map((image) => asking.pull(image));
  await eventually('one waits', () => waiting(old) === 'b');
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  writeFileSync(join(folder, 'file'), '');
  if (broken === 'metrics') {
    const { port } = taken.address() as { port: number };
    await expect(start({ metrics: `127.0.0.1:${port}` })).rejects.toThrow('in use by another process');
  } else {
    await expect(start({ metrics: join(folder, 'file') })).rejects.toThrow('a file, not a socket');
  }
  await servesOn(all);
  for (const at of [0, 1]) {
    await eventually(`pull ${at} runs`, () => runtime.pulls.length > at);
    runtime.pulls[at]?.succeed();
  }
  expect(await Promise.all(pulls.map(codeOf))).toEqual([0, 0]);
  const again = await start();
  await old.takenOver;
  expect((await all.admin.state()).limit).toBe(again.daemon.state().limit);
});

/** Whether a process accepts connections there. */
async function answers(path: string): Promise<boolean> {
  const probe = connect(path);
  const isThere = await once(probe, 'connect').then(
    () => true,
    () => false,
  );
  probe.destroy();
  return isThere;
}

/** Calls, metrics and the admin socket are served by whom they were before. */
async function servesOn(all: World): Promise<void> {
  const fresh = all.client();
  expect((await fresh.call('/runtime.v1.ImageService/ImageFsInfo', Buffer.alloc(0)).result).code).toBe(0);
  await eventually('metrics are served', async () => {
    try {
      return (await scraped(await scraper(all))).includes('slipway_pulls_limit 1');
    } catch {
      return false;
    }
  });
  expect(await all.admin.state()).toMatchObject({ limit: 1, paused: false });
}

/** A new daemon made of nothing but its connection. */
async function newDaemon({ flags }: World): Promise<Duplex> {
  const headers = { connection: 'Upgrade', upgrade: handOverProtocol };
  const call = request({ socketPath: `${flags.listen}.admin`, path: handOverPath, headers, agent: false }).end();
  const [, socket] = (await once(call, 'upgrade')) as [unknown, Duplex];
  socket.on('error', () => {});
  socket.resume();
  return socket;
}

/** What a new daemon may have done before it dies, or what another process may send. */
const line = fc.constantFrom(
  '{"say":"take"}',
  '{"say":"release"}',
  '{"say":"start","id":"pull 2"}',
  '{"say":"start","id":"pull 99"}',
  '{"say":"deny","id":"pull 99","reason":"Dropped"}',
  '{"say":"nonsense"}',
  'garbage',
  '[]',
  'null',
  'x'.repeat(2_000),
);

test('a new daemon that dies anywhere before it serves, or speaks nonsense, leaves everything as it was', async () => {
  const all = await world();
  const { folder, old, client } = all;
  const asking = client();
  for (const image of 'abc') asking.pull(image);
  await eventually('two wait', () => waiting(old) === 'bc');
  const files = readdirSync(folder);
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 5 }), fc.boolean(), fc.boolean(), async (lines, steals, isCut) => {
      const fake = await newDaemon(all);
      for (const one of lines) fake.write(`${one}\n`);
      if (isCut) fake.write('{"say":"ta');
      const thief = createServer();
      if (steals) {
        thief.listen(join(folder, 'thief.sock'));
        await once(thief, 'listening');
        renameSync(join(folder, 'thief.sock'), join(folder, 'image.sock'));
      }
      fake.end();
      await eventually('it is closed', () => fake.closed);
      thief.close();
      await eventually('the old one listens', () => answers(old.settings.listen));
      await servesOn(all);
      expect(readdirSync(folder)).toEqual(files);
      expect(old.daemon.state().counted).toBeGreaterThan(0);
    }),
    { numRuns: 30 },
  );
});

test('a new daemon that dies after it served leaves the rest to the old one, which serves again', async () => {
  const all = await world();
  const { folder, runtime, old, client } = all;
  const asking = client();
  const pulls = ['a', 'b'].map((image) => asking.pull(image));
  await eventually('one waits', () => waiting(old) === 'b');
  const fake = await newDaemon(all);
  fake.write('{"say":"take"}\n{"say":"release"}\n{"say":"commit"}\n');
  await eventually('the old one listens no more', () => !readdirSync(folder).includes('image.sock'));
  fake.destroy();
  await eventually('it listens again', () => readdirSync(folder).includes('image.sock'));
  await servesOn(all);
  for (const at of [0, 1]) {
    await eventually(`pull ${at} runs`, () => runtime.pulls.length > at);
    runtime.pulls[at]?.succeed();
  }
  expect(await Promise.all(pulls.map(codeOf))).toEqual([0, 0]);
});

test('of two daemons that take over at once one is told that the other does', async () => {
  const all = await world();
  const fake = await newDaemon(all);
  fake.write('{"say":"take"}\n');
  await expect(all.start()).rejects.toThrow('another process is taking over');
  fake.destroy();
  await servesOn(all);
});
