import { once } from 'node:events';
import { renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { defaultPullsSettings, type PullsSettings } from '../config/pulls-settings.js';
import { framed } from '../cri/grpc.js';
import { readPullImageResponse } from '../cri/image-status.js';
import { pullImageRequest } from '../cri/pull-image-request.js';
import { bytesField } from '../cri/wire.js';
import type { PullClock } from '../limiter/clock.js';
import { defaultQueueSettings } from '../limiter/queue-state.js';
import { type CriClient, criClient } from '../testing/cri-client.js';
import { eventually } from '../testing/eventually.js';
import { type FakeRuntime, fakeRuntime } from '../testing/fake-runtime.js';
import { relay } from '../testing/relay.js';
import { StepClock } from '../testing/step-clock.js';
import { testFolder } from '../testing/test-folder.js';
import { type PullDaemon, startPullDaemon } from './pull-daemon.js';

// Many callers take their time on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

interface Node {
  readonly folder: string;
  readonly runtime: FakeRuntime;
  readonly daemon: PullDaemon;
  readonly client: CriClient;
  readonly direct: CriClient;
  another(): CriClient;
  /** A client whose connection can be cut as the death of its process cuts it. */
  doomed(): Promise<{ client: CriClient; cut(): void }>;
}

/** A fake runtime, a daemon before it and a client of each. */
async function node(limit: number, settings: Partial<PullsSettings> = {}, clock?: PullClock): Promise<Node> {
  const folder = testFolder();
  const paths = { runtime: join(folder, 'runtime.sock'), listen: join(folder, 'image.sock') };
  const runtime = await fakeRuntime(paths.runtime);
  onTestFinished(() => runtime.kill());
  const started = { settings: { ...defaultPullsSettings, ...paths, ...settings }, limit, ...(clock && { clock }) };
  const daemon = await startPullDaemon(started);
  onTestFinished(() => daemon.close());
  await eventually('the runtime is up', () => daemon.state().runtimeUp);
  const another = () => {
    const client = criClient(paths.listen);
    onTestFinished(() => client.close());
    return client;
  };
  const doomed = async () => {
    const between = await relay(join(folder, 'relay.sock'), paths.listen);
    const client = criClient(join(folder, 'relay.sock'));
    onTestFinished(() => between.close());
    onTestFinished(() => client.close());
    return { client, cut: () => between.cut() };
  };
  const direct = criClient(paths.runtime);
  onTestFinished(() => direct.close());
  return { folder, runtime, daemon, client: another(), direct, another, doomed };
}

const images = ({ pulls }: FakeRuntime) => pulls.map(({ image }) => image);

test('limit: never more than n at the runtime, and the others in order', async () => {
  const { client, runtime, daemon } = await node(2);
  const calls = ['a', 'b', 'c', 'd'].map((image) => client.pull(image));
  await eventually('two wait', () => daemon.state().waiting.length === 2);
  await eventually('two run', () => runtime.pulls.length === 2);
  expect(images(runtime)).toEqual(['a', 'b']);
  runtime.pulls[1]?.succeed();
  await eventually('the third started', () => runtime.pulls.length === 3);
  expect(images(runtime)).toEqual(['a', 'b', 'c']);
  for (const pull of runtime.pulls) pull.succeed();
  await eventually('the fourth started', () => runtime.pulls.length === 4);
  runtime.pulls[3]?.succeed();
  expect(await Promise.all(calls.map(async ({ result }) => (await result).code))).toEqual([0, 0, 0, 0]);
});

test('the request travels on byte for byte, with unknown fields in it', async () => {
  const { client, runtime } = await node(1);
  const message = Buffer.concat([pullImageRequest({ image: 'a' }), bytesField(77, 'later')]);
  const call = client.call('/runtime.v1.ImageService/PullImage', message, { metadata: { traceparent: '00-1-2-01' } });
  await eventually('it started', () => runtime.pulls.length === 1);
  expect(runtime.pulls[0]?.body).toEqual(framed(message));
  expect(runtime.pulls[0]?.headers.traceparent).toBe('00-1-2-01');
  runtime.pulls[0]?.succeed();
  expect((await call.result).code).toBe(0);
});

test('a request that cannot be read goes on as it is, with a slot of its own', async () => {
  const { client, runtime, daemon } = await node(1);
  runtime.serve('/runtime.v1.ImageService/PullImage', (stream) => {
    stream.respond({ ':status': 200, 'grpc-status': '3', 'grpc-message': 'what is this' }, { endStream: true });
  });
  const { result } = client.call('/runtime.v1.ImageService/PullImage', Buffer.from([0xff, 0xff]));
  expect(await result).toMatchObject({ code: 3, details: 'what is this' });
  expect(daemon.state().counted).toBe(0);
});

test('sharing: equal credentials are one call and one slot, others are not', async () => {
  const { client, runtime, daemon } = await node(2);
  const ann = { username: 'ann', password: 'right' };
  const many = Array.from({ length: 500 }, () => client.pull('a', { auth: ann }));
  const bob = client.pull('a', { auth: { username: 'bob', password: 'wrong' } });
  await eventually('all asked', () => {
    const { running } = daemon.state();
    return running.length === 2 && running.reduce((sum, { callers }) => sum + callers, 0) === 501;
  });
  await eventually('both reached the runtime', () => runtime.pulls.length === 2);
  const [right, wrong] = runtime.pulls[0]?.body.includes('right') ? runtime.pulls : [...runtime.pulls].reverse();
  wrong?.fail(2, 'authorization failed');
  right?.succeed();
  expect(await bob.result).toMatchObject({ code: 2, details: 'authorization failed' });
  const codes = await Promise.all(many.map(async ({ result }) => (await result).code));
  expect(new Set(codes)).toEqual(new Set([0]));
  expect(runtime.pulls).toHaveLength(2);
});

test('option: travels as metadata and tightens', async () => {
  const { client, runtime, daemon } = await node(2);
  client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  const wish = (limit: string) => ({ metadata: { 'slipway-max-parallel-image-pulling': limit } });
  client.pull('b', wish('1'));
  await eventually('b waits', () => daemon.state().waiting.length === 1);
  client.pull('c', wish('8'));
  await eventually('c runs', () => runtime.pulls.length === 2);
  client.pull('d', wish('8'));
  await eventually('d waits', () => daemon.state().waiting.length === 2);
  expect(images(runtime)).toEqual(['a', 'c']);
});

test.each(['abc', '-3', '10001', '2.5'])('option: %s is INVALID_ARGUMENT', async (limit) => {
  const { client } = await node(2);
  const { result } = client.pull('a', { metadata: { 'slipway-max-parallel-image-pulling': limit } });
  expect(await result).toMatchObject({ code: 3 });
});

test('option: repeated means the smallest', async () => {
  const { client, runtime, daemon } = await node(3);
  client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  client.pull('b', { metadata: { 'slipway-max-parallel-image-pulling': ['4', '1'] } });
  await eventually('b waits', () => daemon.state().waiting.length === 1);
});

test('fail: refused at once with the error of the proposal', async () => {
  const { client, runtime } = await node(1);
  client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  const { code, details, trailers } = await client.pull('b', { metadata: { 'slipway-on-full': 'fail' } }).result;
  expect(code).toBe(2);
  expect(details).toMatch(/^TooManyPullingInParallelErr: 1 of 1 /);
  expect(trailers.get('slipway-reason')).toEqual(['TooManyPullingInParallel']);
});

test('retry in real time: refused after three more looks', async () => {
  const retry = { mode: 'retry', attempts: 3, intervalMs: 100, wakeEarly: true } as const;
  const { client, runtime } = await node(1, { retry });
  client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  const askedAtMs = performance.now();
  const { details } = await client.pull('b', { metadata: { 'slipway-max-parallel-image-pulling': '1' } }).result;
  expect(details).toMatch(/^TooManyPullingInParallelErr/);
  expect(performance.now() - askedAtMs).toBeGreaterThan(295);
});

test('support is said in the answers of image calls', async () => {
  const { client, direct } = await node(4);
  const path = '/runtime.v1.ImageService/ImageFsInfo';
  expect((await client.call(path, Buffer.alloc(0)).result).headers.get('slipway-pulls')).toEqual([
    'v=1;limit=4;on-full=wait',
  ]);
  expect((await direct.call(path, Buffer.alloc(0)).result).headers.get('slipway-pulls')).toEqual([]);
});

test('present: does not wait', async () => {
  const { client, runtime, daemon } = await node(1);
  runtime.present.add('b');
  client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  const call = client.pull('b');
  await eventually('b runs beside', () => runtime.pulls.length === 2);
  expect(daemon.state()).toMatchObject({ counted: 1, running: [{ image: 'a' }, { image: 'b', state: 'verifying' }] });
  runtime.pulls[1]?.succeed();
  expect((await call.result).code).toBe(0);
});

test('a cancelled call is cancelled at the runtime, and the next starts', async () => {
  const { client, runtime, daemon } = await node(1);
  const first = client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  client.pull('b');
  await eventually('b waits', () => daemon.state().waiting.length === 1);
  first.cancel();
  await eventually('a is cancelled at the runtime', () => runtime.pulls[0]?.cancelled === true);
  await eventually('b runs', () => runtime.pulls.length === 2);
});

test('a deadline ends the wait of its call and no other', async () => {
  const { client, runtime, daemon } = await node(1);
  client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  const patient = client.pull('b');
  const hasty = client.pull('b', { deadlineMs: 100 });
  expect((await hasty.result).code).toBe(4);
  await eventually('b waits with one caller', () => daemon.state().waiting[0]?.callers === 1);
  runtime.pulls[0]?.succeed();
  await eventually('b runs', () => runtime.pulls.length === 2);
  runtime.pulls[1]?.succeed();
  expect((await patient.result).code).toBe(0);
});

test('a client that loses its connection finds its pull and its slot again', async () => {
  const { client: again, runtime, daemon, doomed } = await node(1);
  const { client, cut } = await doomed();
  const lost = [client.pull('a')];
  await eventually('a runs', () => runtime.pulls.length === 1);
  lost.push(client.pull('b'));
  await eventually('b waits', () => daemon.state().waiting.length === 1);
  const c = again.pull('c');
  await eventually('c waits', () => daemon.state().waiting.length === 2);
  cut();
  expect(await Promise.all(lost.map(async ({ result }) => (await result).code))).toEqual([14, 14]);
  await eventually('a has no caller', () => daemon.state().running[0]?.callers === 0);
  expect(runtime.pulls[0]?.cancelled).toBe(false);
  const calls = [again.pull('a'), again.pull('b')];
  await eventually('both are back', () => daemon.state().running[0]?.callers === 1 && waitsFor(daemon, 'b') === 1);
  runtime.pulls[0]?.succeed();
  await eventually('b runs before c', () => runtime.pulls.length === 2);
  expect(images(runtime)).toEqual(['a', 'b']);
  runtime.pulls[1]?.succeed();
  await eventually('c runs', () => runtime.pulls.length === 3);
  runtime.pulls[2]?.succeed();
  expect(await Promise.all([...calls, c].map(async ({ result }) => (await result).code))).toEqual([0, 0, 0]);
});

test('a runtime that dies answers what runs with UNAVAILABLE, and what waits survives', async () => {
  const { client, runtime, daemon } = await node(1);
  const first = client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  const second = client.pull('b');
  await eventually('b waits', () => daemon.state().waiting.length === 1);
  await runtime.kill();
  expect((await first.result).code).toBe(14);
  expect(daemon.state()).toMatchObject({ runtimeUp: false, waiting: [{ image: 'b' }] });
  expect((await client.call('/runtime.v1.ImageService/ListImages', Buffer.alloc(0)).result).code).toBe(14);
  await runtime.listen();
  await eventually('b runs', () => runtime.pulls.length === 2);
  runtime.pulls[1]?.succeed();
  expect((await second.result).code).toBe(0);
});

test('callers of a runtime that stays away are answered after the grace', async () => {
  const queue = { ...defaultQueueSettings, runtimeLostGraceMs: 200 };
  const { client, runtime, daemon } = await node(1, { queue });
  await runtime.kill();
  await eventually('it is known', () => !daemon.state().runtimeUp);
  const { code, trailers } = await client.pull('a').result;
  expect([code, trailers.get('slipway-reason')]).toEqual([14, ['RuntimeAway']]);
});

test('1,000 callers of whom 900 hang up: no slot is lost, and the others are served', async () => {
  const { client, runtime, daemon } = await node(4);
  const calls = Array.from({ length: 1_000 }, (_, index) => client.pull(`image-${index}`));
  await eventually('they queue', () => daemon.state().waiting.length === 996);
  for (const call of calls.slice(0, 900)) call.cancel();
  await eventually('they left', () => daemon.state().running.length + daemon.state().waiting.length <= 100);
  let most = 0;
  const pump = async () => {
    await eventually('all ended', () => {
      most = Math.max(most, daemon.state().counted);
      for (const pull of runtime.pulls) pull.succeed();
      return daemon.state().running.length === 0;
    });
  };
  await pump();
  expect(most).toBeLessThanOrEqual(4);
  const codes = await Promise.all(calls.slice(900).map(async ({ result }) => (await result).code));
  expect(new Set(codes)).toEqual(new Set([0]));
  expect(daemon.state()).toMatchObject({ counted: 0, waiting: [] });
});

test('finish() refuses new pulls, serves other calls, and ends when what runs and waits has ended', async () => {
  const { client, runtime, daemon } = await node(1);
  const first = client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  const second = client.pull('b');
  await eventually('b waits', () => daemon.state().waiting.length === 1);
  const finished = daemon.finish();
  expect((await client.pull('c').result).code).toBe(14);
  expect((await client.call('/runtime.v1.ImageService/ImageFsInfo', Buffer.alloc(0)).result).code).toBe(0);
  runtime.pulls[0]?.succeed();
  await eventually('b runs', () => runtime.pulls.length === 2);
  runtime.pulls[1]?.succeed();
  await finished;
  expect(await Promise.all([first, second].map(async ({ result }) => (await result).code))).toEqual([0, 0]);
});

test('the socket is for its owner only, and replaces a dead one but nothing that lives', async () => {
  const { folder, daemon } = await node(1);
  const listen = join(folder, 'image.sock');
  expect(statSync(listen).mode & 0o777).toBe(0o600);
  const settings = { ...defaultPullsSettings, runtime: join(folder, 'runtime.sock'), listen };
  await expect(startPullDaemon({ settings, limit: 1 })).rejects.toThrow('another process listens');
  const dead = join(folder, 'dead.sock');
  const dying = createServer().listen(join(folder, 'dying.sock'));
  await once(dying, 'listening');
  renameSync(join(folder, 'dying.sock'), dead);
  dying.close();
  const second = await startPullDaemon({ settings: { ...settings, listen: dead }, limit: 1 });
  const client = criClient(dead);
  expect((await client.call('/runtime.v1.ImageService/ImageFsInfo', Buffer.alloc(0)).result).code).toBe(0);
  client.close();
  await second.close();
  const file = join(folder, 'precious');
  writeFileSync(file, 'kept');
  await expect(startPullDaemon({ settings: { ...settings, listen: file }, limit: 1 })).rejects.toThrow(
    'it is a file, not a socket',
  );
  await daemon.close();
});

test('a request above 1 MiB is not read and goes on as it is; above 16 MiB it is refused', async () => {
  const { client, runtime, daemon } = await node(1);
  const large = client.pull('x'.repeat(5 << 20));
  await eventually('it runs', () => runtime.pulls.length === 1);
  expect(daemon.state()).toMatchObject({ counted: 1, running: [{ image: '' }] });
  runtime.pulls[0]?.fail(3, 'invalid reference format');
  expect(await large.result).toMatchObject({ code: 3, details: 'invalid reference format' });
  const { code } = await client.pull('a', { auth: { password: 'x'.repeat(17 << 20) } }).result;
  expect(code).toBe(8);
});

test.each([
  ['an empty name', pullImageRequest({ image: '' })],
  ['a name that is no UTF-8', bytesField(1, bytesField(1, Buffer.from([0xc3, 0x28])))],
])('%s goes on: the error of the runtime says more', async (_, message) => {
  const { client, runtime } = await node(1);
  const call = client.call('/runtime.v1.ImageService/PullImage', message);
  await eventually('it runs', () => runtime.pulls.length === 1);
  expect(runtime.pulls[0]?.body).toEqual(framed(message));
  runtime.pulls[0]?.fail(2, 'failed to parse image reference');
  expect(await call.result).toMatchObject({ code: 2, details: 'failed to parse image reference' });
});

test('present: succeed answers for an image that is there, and asks no registry', async () => {
  const { client, runtime, daemon } = await node(1, { present: { mode: 'succeed', recentMs: 0 } });
  runtime.present.add('b');
  client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  const { code, messages } = await client.pull('b').result;
  expect([code, messages[0] && readPullImageResponse(messages[0])]).toEqual([0, 'sha256:b']);
  expect([images(runtime), daemon.state().running.length]).toEqual([['a'], 1]);
});

test('present: a tag that takes long at a runtime that shows nothing is stopped and waits for a place', async () => {
  const { client, runtime, daemon } = await node(1, { queue: { ...defaultQueueSettings, presentTripMs: 50 } });
  runtime.present.add('b');
  client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  const call = client.pull('b');
  await eventually('it is stopped', () => runtime.pulls[1]?.cancelled === true);
  await eventually('it waits', () => daemon.state().counted === 1 && daemon.state().waiting[0]?.image === 'b');
  runtime.pulls[0]?.succeed();
  await eventually('it has a place', () => runtime.pulls.length === 3);
  runtime.pulls[2]?.succeed();
  expect((await call.result).code).toBe(0);
});

test.each([
  ['kubelet', 2],
  ['precise', 8],
] as const)('errors: %s refuses with code %d', async (errors, expected) => {
  const { client, runtime } = await node(1, { errors });
  client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  const { code, details } = await client.pull('b', { metadata: { 'slipway-on-full': 'fail' } }).result;
  expect([code, details]).toEqual([expected, expect.stringMatching(/^TooManyPullingInParallelErr: /)]);
});

test('bypass: pulls pass as everything else does, and the answers say nothing of a limit', async () => {
  const { client, runtime, daemon } = await node(1);
  daemon.setBypass(true);
  for (const image of ['a', 'b', 'c']) client.pull(image);
  await eventually('all run', () => runtime.pulls.length === 3);
  expect(daemon.state()).toMatchObject({ running: [], waiting: [] });
  const path = '/runtime.v1.ImageService/ImageFsInfo';
  expect((await client.call(path, Buffer.alloc(0)).result).headers.get('slipway-pulls')).toEqual([]);
  daemon.setBypass(false);
  client.pull('d');
  await eventually('it is limited', () => daemon.state().running[0]?.image === 'd');
});

test('finish() waits for pulls that pass unread', async () => {
  const clock = new StepClock();
  const { client, runtime, daemon } = await node(1, {}, clock);
  daemon.setBypass(true);
  const { result } = client.pull('a');
  await eventually('it runs', () => runtime.pulls.length === 1);
  let isFinished = false;
  const finished = daemon.finish().then(() => {
    isFinished = true;
  });
  await clock.advance(60_000);
  expect(isFinished).toBe(false);
  runtime.pulls[0]?.succeed();
  expect((await result).code).toBe(0);
  await eventually('it has finished', async () => {
    await clock.advance(1_000);
    return isFinished;
  });
  await finished;
});

test('pullLike: another call that pulls takes a place', async () => {
  const path = '/runtime.v1.ImageService/PullImageWithProfile';
  const { client, runtime, daemon } = await node(1, { pullLike: [path] });
  runtime.serve(path, (stream) => {
    stream.respond({ ':status': 200, 'grpc-status': '0' }, { endStream: true });
  });
  client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  const call = client.call(path, Buffer.from('anything'));
  await eventually('it waits', () => daemon.state().waiting.length === 1);
  runtime.pulls[0]?.succeed();
  expect((await call.result).code).toBe(0);
});

test('a runtime that does not stop when it is told to keeps its slot until it has ended, or for 5 s', async () => {
  // CRI-O before 1.30 goes on with a pull whose caller has gone.
  const { client, runtime, daemon } = await node(1, { queue: { ...defaultQueueSettings, abortTimeoutMs: 300 } });
  const first = client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  client.pull('b');
  await eventually('b waits', () => daemon.state().waiting.length === 1);
  first.cancel();
  await eventually('b runs', () => runtime.pulls.length === 2);
  expect(daemon.state().counted).toBe(1);
});

test('a runtime without a content store is limited as any other, and says that it shows no progress', async () => {
  const { client, runtime, daemon } = await node(1);
  client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  expect(await daemon.look()).toMatchObject({
    fidelity: 'none',
    counted: 1,
    running: [{ image: 'a', state: 'running' }],
  });
});

test('lazy pulling: the slot is held only until the runtime answers', async () => {
  // A lazy snapshotter answers when the image can be mounted; what it fetches later is its own affair.
  const { client, runtime, daemon } = await node(1);
  const lazy = client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  runtime.pulls[0]?.succeed();
  expect((await lazy.result).code).toBe(0);
  expect(daemon.state().counted).toBe(0);
  const again = client.pull('a');
  await eventually('it runs at once: its layers exist', () => runtime.pulls.length === 2);
  runtime.pulls[1]?.succeed();
  expect((await again.result).code).toBe(0);
});

test('calls of CRI v1alpha2, which an older kubelet speaks, are limited too', async () => {
  const { client, runtime, daemon } = await node(1);
  client.pull('a');
  await eventually('a runs', () => runtime.pulls.length === 1);
  client.call('/runtime.v1alpha2.ImageService/PullImage', pullImageRequest({ image: 'b' }));
  await eventually('b waits', () => daemon.state().waiting[0]?.image === 'b');
});

function waitsFor(daemon: PullDaemon, image: string): number {
  return daemon.state().waiting.find((pull) => pull.image === image)?.callers ?? 0;
}
