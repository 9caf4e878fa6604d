import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { framed } from '../cri/grpc.js';
import { bytesField, mapField, numberField } from '../cri/wire.js';
import { systemClock } from '../limiter/clock.js';
import { type Blob, ContentStore, type Ingest, NoContentError } from '../runtime/content-store.js';
import { RuntimeConnection } from '../runtime/runtime-connection.js';
import { type FakeRuntime, fakeRuntime } from '../testing/fake-runtime.js';
import { StepClock } from '../testing/step-clock.js';
import { testFolder } from '../testing/test-folder.js';
import { descriptorsOf, manifestOf, progressOf } from './image-progress.js';
import { ProgressWatch, type WatchedPull } from './progress-watch.js';
import { watchVerification } from './verification-watch.js';

const labelled = (digest: string, createdMs: number, ...layers: string[]): Blob => {
  const labels = layers.map((layer, at): [string, string] => [`containerd.io/gc.ref.content.l.${at}`, layer]);
  return { digest, sizeBytes: 100, createdMs, labels: new Map(labels) };
};
const fetching = (digest: string, offset: number): Ingest => ({ ref: `layer-${digest}`, offset, total: 100 });

/** containerd's content, as far as it is asked for: what is fetched, what is there, and manifests. */
function content(state: { ingests: Ingest[]; blobs: Blob[]; manifest: object }) {
  return {
    ingests: async () => state.ingests,
    blobsOf: async () => state.blobs,
    read: async () => Buffer.from(JSON.stringify(state.manifest)),
  } as unknown as ContentStore;
}

test('manifestOf() prefers the one whose layer is being fetched, then the youngest since the start', () => {
  const old = labelled('sha256:old', 1_000, 'sha256:a');
  const young = labelled('sha256:young', 5_000, 'sha256:b');
  expect(manifestOf([old, young], [fetching('sha256:a', 1)], 4_000)).toBe(old);
  expect(manifestOf([old, young], [], 4_000)).toBe(young);
  expect(manifestOf([old, young], [], 9_000)).toBeUndefined();
  expect(manifestOf([labelled('sha256:layer', 9_000)], [], 0)).toBeUndefined();
});

test('progressOf() adds up what is there and what is on its way', () => {
  const layers = ['a', 'b', 'c'].map((name) => ({ digest: `sha256:${name}`, sizeBytes: 100 }));
  const progress = progressOf(layers, [labelled('sha256:a', 0)], [fetching('sha256:b', 40)]);
  expect(progress).toMatchObject({ bytes: 140, totalBytes: 300 });
  expect(progress.layers.map(({ bytes }) => bytes)).toEqual([100, 40, 0]);
});

test.each(['', 'no JSON', '[]', '{"layers": 3}', '{"layers": [{"digest": 1}]}'])(
  'descriptorsOf(%j) is nothing',
  (text) => {
    expect(descriptorsOf(Buffer.from(text))).toEqual([]);
  },
);

test('ContentStore reads what containerd answers, over several messages of a stream', async () => {
  const { store, runtime } = await containerd();
  const path = '/containerd.services.content.v1.Content/';
  const seen: string[] = [];
  const ingest = Buffer.concat([bytesField(3, 'layer-sha256:a'), numberField(4, 5), numberField(5, 9)]);
  answer(runtime, `${path}ListStatuses`, [bytesField(1, ingest)], seen);
  const created = Buffer.concat([numberField(1, 1_700_000_000), numberField(2, 500_000_000)]);
  const blob = (digest: string) =>
    bytesField(
      1,
      Buffer.concat([bytesField(1, digest), numberField(2, 7), bytesField(3, created), mapField(5, { l: 'v' })]),
    );
  answer(runtime, `${path}List`, [blob('sha256:a'), blob('sha256:b')], seen);
  answer(runtime, `${path}Read`, [bytesField(2, 'ab'), bytesField(2, 'cd')], seen);
  const signal = new AbortController().signal;
  expect(await store.ingests(signal)).toEqual([{ ref: 'layer-sha256:a', offset: 5, total: 9 }]);
  expect(await store.blobsOf('r.example:5000', 'a.b/web', signal)).toMatchObject([
    { digest: 'sha256:a', sizeBytes: 7, createdMs: 1_700_000_000_500, labels: new Map([['l', 'v']]) },
    { digest: 'sha256:b' },
  ]);
  expect((await store.read('sha256:a', signal)).toString()).toBe('abcd');
  expect(seen[1]).toContain('labels."containerd.io/distribution.source.r.example"~="(^|,)a[.]b/web(,|$)"');
});

test('ContentStore says when a runtime has no such thing', async () => {
  const { store } = await containerd();
  const failed = store.ingests(new AbortController().signal);
  await expect(failed).rejects.toBeInstanceOf(NoContentError);
  await expect(failed).rejects.toMatchObject({ isUnknown: true });
});

test('ProgressWatch finds a pull stalled, and moving again, and takes unpacking for no stall', async () => {
  const clock = new StepClock();
  const told: string[] = [];
  const manifest = { layers: [{ digest: 'sha256:a', size: 100 }] };
  const state = {
    ingests: [fetching('sha256:a', 10)],
    blobs: [labelled('sha256:m', clock.now(), 'sha256:a')],
    manifest,
  };
  const pulls: WatchedPull[] = [{ id: 1, image: 'r.example/web:1', runningMs: 0 }];
  const watch = new ProgressWatch({
    store: content(state),
    clock,
    pulls: () => pulls,
    stallAfterMs: () => 60_000,
    onStalled: (id, idleMs) => told.push(`stalled ${id} after ${Math.floor(idleMs / 1_000)}s`),
    onMoved: (id) => told.push(`moved ${id}`),
  });
  watch.wake();
  await clock.advance(64_000);
  expect(told).toEqual([]);
  await clock.advance(10_000);
  expect(told).toEqual(['stalled 1 after 60s']);
  state.ingests = [fetching('sha256:a', 50)];
  await clock.advance(10_000);
  expect(told.splice(0)).toEqual(['stalled 1 after 60s', 'moved 1']);
  expect((await watch.look()).get(1)).toMatchObject({ bytes: 50, totalBytes: 100, phase: 'fetching' });
  state.ingests = [];
  state.blobs = [...state.blobs, labelled('sha256:a', clock.now())];
  await clock.advance(600_000);
  expect(told).toEqual([]);
  expect((await watch.look()).get(1)).toMatchObject({ bytes: 100, phase: 'unpacking' });
  watch.close();
});

test('ProgressWatch answers with what it knows when the runtime does not answer', async () => {
  const clock = new StepClock();
  const store = { ingests: () => new Promise(() => {}) } as unknown as ContentStore;
  const none = { onStalled: () => {}, onMoved: () => {} };
  const watch = new ProgressWatch({ store, clock, pulls: () => [], stallAfterMs: () => 60_000, ...none });
  const looked = watch.look();
  await clock.advance(300);
  expect((await looked).size).toBe(0);
  watch.close();
});

test.each<[string, boolean, { ingests?: Ingest[]; blobs?: Blob[] }, boolean]>([
  [
    'a new manifest, while no other pull begins',
    true,
    { ingests: [{ ref: 'manifest-sha256:n', offset: 0, total: 9 }] },
    true,
  ],
  [
    'a new manifest, which may be that of another pull',
    false,
    { ingests: [{ ref: 'manifest-sha256:n', offset: 0, total: 9 }] },
    false,
  ],
  ['a new blob of this repository', false, { blobs: [labelled('sha256:new', 0)] }, true],
  ['a layer of another pull', true, { ingests: [fetching('sha256:x', 0)] }, false],
])('watchVerification() and %s', async (_, isQuiet, appears, expected) => {
  const clock = new StepClock();
  const state = { ingests: [] as Ingest[], blobs: [labelled('sha256:there', 0)], manifest: {} };
  let end = () => {};
  let downloads = false;
  const verify = () => new Promise<void>((resolve) => (end = resolve));
  const watched = watchVerification(
    { store: content(state), clock, isQuiet: () => isQuiet },
    'r.example/web:1',
    verify,
    () => {
      downloads = true;
    },
  );
  await clock.advance(20);
  expect(downloads).toBe(false);
  state.ingests = appears.ingests ?? state.ingests;
  state.blobs = appears.blobs ?? state.blobs;
  await clock.advance(20);
  expect(downloads).toBe(expected);
  end();
  await watched;
});

async function containerd(): Promise<{ store: ContentStore; runtime: FakeRuntime }> {
  const folder = testFolder();
  const path = join(folder, 'containerd.sock');
  const runtime = await fakeRuntime(path);
  onTestFinished(() => runtime.kill());
  const connection = new RuntimeConnection({ path, clock: systemClock, onUp: () => {}, onLost: () => {} });
  onTestFinished(() => connection.close());
  return { store: new ContentStore(connection), runtime };
}

/** Serves a call with several messages, and notes its request. */
function answer(runtime: FakeRuntime, path: string, messages: readonly Buffer[], seen: string[]): void {
  runtime.serve(path, (stream, headers) => {
    let body = '';
    stream.on('data', (chunk: Buffer) => {
      body += chunk.toString('latin1');
    });
    stream.on('end', () => {
      seen.push(`${headers['containerd-namespace']} ${body}`);
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      for (const message of messages) stream.write(framed(message));
      stream.end();
    });
  });
}
