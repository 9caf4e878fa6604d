import { expect, test } from 'vitest';
import type { ImageStatus } from '../cri/image-status.js';
import { StepClock, settled } from '../testing/step-clock.js';
import { ImageEnsurer, type ImageEnsurerOptions, type ImageWanted } from './ensure-image.js';
import { CriError, type ImageService, type PullRequest } from './image-service.js';
import { durationText, type NodePullEvent, type PullEvent } from './pull-event.js';
import { PullRecords } from './pull-records.js';
import { memoryRecords } from './record-store.js';

interface Held {
  readonly request: PullRequest;
  readonly signal: AbortSignal;
  succeed(): void;
  fail(error: Error): void;
}

/** A kubelet's puller before a runtime whose pulls end when the test says so. */
function kubelet(limit: number, options: Partial<ImageEnsurerOptions> & { understands?: boolean } = {}) {
  const clock = new StepClock();
  const events: PullEvent[] = [];
  const held: Held[] = [];
  const present = new Map<string, ImageStatus>();
  const service: ImageService = {
    imageStatus: async (image) => present.get(image),
    supportsOption: async () => options.understands ?? false,
    pullImage: (request, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        const succeed = () => {
          present.set(request.image, { id: request.image, repoDigests: [], sizeBytes: 100 });
          resolve(request.image);
        };
        held.push({ request, signal, succeed, fail: reject });
      }),
  };
  const onEvent = (event: PullEvent) => void events.push(event);
  const ensurer = new ImageEnsurer({ service, maxParallelImagePulling: () => limit, onEvent, clock, ...options });
  const want = (image: string, more: Partial<ImageWanted> & { uid?: string } = {}) => {
    const { uid = `pod-of-${image}`, ...rest } = more;
    const stop = new AbortController();
    const pod = { name: 'web', uid, namespace: 'shop' };
    const wanted: ImageWanted = { image, policy: 'Always', pod, container: 'main', ...rest };
    const ensured = ensurer.ensureImage(wanted, stop.signal);
    ensured.catch(() => {});
    return { ensured, stop };
  };
  const reasons = () => events.splice(0).map(({ reason }) => reason);
  return { clock, events, held, present, ensurer, want, reasons };
}

const running = ({ held }: ReturnType<typeof kubelet>) => held.map(({ request }) => request.image);

test('fallback: a new pull is added to the list', async () => {
  const node = kubelet(2);
  node.want('a:1');
  await settled();
  expect(node.ensurer.pulling()).toEqual(['a:1']);
  expect(node.held[0]?.request.maxParallelImagePulling).toBeUndefined();
});

test('fallback: a pull that completed is removed from the list', async () => {
  const node = kubelet(2);
  const { ensured } = node.want('a:1');
  await settled();
  node.held[0]?.succeed();
  expect(await ensured).toEqual({ kind: 'pulled', imageRef: 'a:1' });
  expect(node.ensurer.pulling()).toEqual([]);
});

test('fallback: a pull that failed is removed from the list', async () => {
  const node = kubelet(2);
  const { ensured } = node.want('a:1');
  await settled();
  node.held[0]?.fail(new CriError(2, 'no such image'));
  expect(await ensured).toMatchObject({ kind: 'failed', reason: 'ErrImagePull', message: 'no such image' });
  expect(node.ensurer.pulling()).toEqual([]);
});

test('fallback: the list is never longer than maxParallelImagePulling', async () => {
  const node = kubelet(2);
  for (const image of ['a:1', 'b:1', 'c:1', 'd:1']) node.want(image);
  for (let ended = 0; ended < 4; ended += 1) {
    await settled();
    expect(node.ensurer.pulling().length).toBeLessThanOrEqual(2);
    node.held[ended]?.succeed();
  }
  await settled();
  expect(running(node)).toEqual(['a:1', 'b:1', 'c:1', 'd:1']);
});

test('fallback: a full list hangs a pull until another completed', async () => {
  const node = kubelet(1);
  node.want('a:1');
  const second = node.want('b:1');
  await node.clock.advance(3_600_000);
  expect(running(node)).toEqual(['a:1']);
  node.held[0]?.succeed();
  await settled();
  node.held[1]?.succeed();
  expect(await second.ensured).toMatchObject({ kind: 'pulled' });
  expect(node.events.at(-1)?.message).toBe(
    'Successfully pulled image "b:1" in 0s (1h0m0s including waiting). Image size: 100 bytes.',
  );
});

test('fallback: an image in the list is joined, or returned from as the proposal writes it', async () => {
  const joining = kubelet(2);
  const both = [joining.want('a:1', { uid: 'one' }), joining.want('a:1', { uid: 'two' })];
  await settled();
  expect(running(joining)).toEqual(['a:1']);
  joining.held[0]?.succeed();
  expect(await Promise.all(both.map(({ ensured }) => ensured))).toMatchObject([{ kind: 'pulled' }, { kind: 'pulled' }]);

  const returning = kubelet(2, { inList: 'return' });
  returning.want('a:1', { uid: 'one' });
  await settled();
  const second = returning.want('a:1', { uid: 'two' });
  expect(await second.ensured).toEqual({ kind: 'alreadyPulling', retryAfterMs: 1_000 });
});

test('fallback: other credentials are another pull, and a caller that goes away frees its place', async () => {
  const node = kubelet(1);
  const first = node.want('a:1', { credentials: [{ username: 'ann' }] });
  await settled();
  node.want('a:1', { uid: 'other', credentials: [{ username: 'bob' }] });
  await settled();
  expect(node.held).toHaveLength(1);
  first.stop.abort(new Error('pod deleted'));
  await settled();
  expect(node.held.map(({ request }) => request.auth?.username)).toEqual(['ann', 'bob']);
});

test('option: a runtime that understands it gets it and keeps the list', async () => {
  const node = kubelet(3, { understands: true });
  for (const image of ['a:1', 'b:1', 'c:1', 'd:1']) node.want(image);
  await settled();
  expect(node.held.map(({ request }) => request.maxParallelImagePulling)).toEqual([3, 3, 3, 3]);
  expect(node.ensurer.pulling()).toEqual([]);
});

test('option: 0 sends none, as before', async () => {
  const node = kubelet(0, { understands: true });
  node.want('a:1');
  await settled();
  expect(node.held[0]?.request.maxParallelImagePulling).toBeUndefined();
});

test('ensureImage() backs off 10, 20, 40 ... 300 s for one pod and image', async () => {
  const node = kubelet(0);
  const delays: (number | undefined)[] = [];
  for (let failed = 0; failed < 7; failed += 1) {
    const { ensured } = node.want('a:1');
    await settled();
    node.held[failed]?.fail(new CriError(2, 'TooManyPullingInParallelErr: busy'));
    const outcome = await ensured;
    if (outcome.kind !== 'failed') throw new Error(outcome.kind);
    delays.push(outcome.retryAfterMs);
    expect(await node.want('a:1').ensured).toMatchObject({
      reason: 'ImagePullBackOff',
      message: 'Back-off pulling image "a:1": ErrImagePull: TooManyPullingInParallelErr: busy',
    });
    await node.clock.advance(outcome.retryAfterMs ?? 0);
  }
  expect(delays).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  expect(node.reasons().slice(0, 5)).toEqual(['Pulling', 'Failed', 'BackOff', 'Pulling', 'Failed']);
});

test('ensureImage() tries credentials in turn', async () => {
  const node = kubelet(0);
  const { ensured } = node.want('a:1', { credentials: [{ username: 'ann' }, { username: 'bob' }] });
  await settled();
  node.held[0]?.fail(new CriError(2, 'unauthorized'));
  await settled();
  node.held[1]?.succeed();
  expect(await ensured).toMatchObject({ kind: 'pulled' });
  expect(node.held.map(({ request }) => request.auth?.username)).toEqual(['ann', 'bob']);
});

test('ensureImage() asks the runtime first unless the policy is Always', async () => {
  const node = kubelet(0);
  node.present.set('a:latest', { id: 'sha256:1', repoDigests: [], sizeBytes: 1 });
  expect(await node.want('a', { policy: 'IfNotPresent' }).ensured).toEqual({ kind: 'present', imageRef: 'sha256:1' });
  expect(await node.want('b', { policy: 'Never' }).ensured).toMatchObject({ reason: 'ErrImageNeverPull' });
  expect(node.held).toEqual([]);
  node.want('a');
  await settled();
  expect(running(node)).toEqual(['a:latest']);
});

test.each(['a/UPPER', 'a b', '', 'a:tag:tag', '-x'])('ensureImage() calls %j an invalid name', async (image) => {
  expect(await kubelet(0).want(image).ensured).toMatchObject({ reason: 'InvalidImageName', retryAfterMs: undefined });
});

test.each([
  ['RegistryUnavailable: no bytes', 'RegistryUnavailable'],
  ['SignatureValidationFailed: x', 'SignatureValidationFailed'],
  ['rpc error: x', 'ErrImagePull'],
])('ensureImage() reads %s', async (text, reason) => {
  const node = kubelet(0);
  const { ensured } = node.want('a:1');
  await settled();
  node.held[0]?.fail(new CriError(2, text));
  expect(await ensured).toMatchObject({ reason });
});

test('ensureImage() says that it shares a pull, and that the limit has changed', async () => {
  let limit = 1;
  const nodeEvents: NodePullEvent[] = [];
  const node = kubelet(1, { maxParallelImagePulling: () => limit, onNodeEvent: (event) => nodeEvents.push(event) });
  node.want('a:1', { uid: 'one' });
  await settled();
  node.want('a:1', { uid: 'two' });
  await settled();
  expect(node.reasons()).toEqual(['Pulling', 'Pulling', 'PullCoalesced']);
  limit = 0;
  node.want('b:1');
  await settled();
  expect(nodeEvents).toEqual([
    { type: 'Normal', reason: 'PullLimitChanged', message: 'maxParallelImagePulling is unlimited now, and was 1' },
  ]);
});

test('ensureImage() refuses by rate after a slot was found, as a kubelet does', async () => {
  const node = kubelet(0, { pullRate: () => ({ qps: 1, burst: 2 }) });
  const wanted = ['a:1', 'b:1', 'c:1'].map((image) => node.want(image));
  await settled();
  expect(running(node)).toEqual(['a:1', 'b:1']);
  expect(await wanted[2]?.ensured).toMatchObject({ reason: 'ErrImagePull', message: 'pull QPS exceeded' });
  await node.clock.advance(1_000);
  node.want('d:1');
  await settled();
  expect(running(node)).toEqual(['a:1', 'b:1', 'd:1']);
});

test('ensureImage() lets a pod use an image that is there only with credentials that a registry accepted', async () => {
  const node = kubelet(0, { records: new PullRecords(memoryRecords()) });
  const [ann, bob] = [{ username: 'ann' }, { username: 'bob' }];
  node.want('a:1', { policy: 'IfNotPresent', credentials: [ann] });
  await settled();
  node.held[0]?.succeed();
  await settled();
  const same = node.want('a:1', { uid: 'two', policy: 'IfNotPresent', credentials: [ann] });
  expect(await same.ensured).toMatchObject({ kind: 'present' });
  const never = node.want('a:1', { uid: 'three', policy: 'Never', credentials: [bob] });
  expect(await never.ensured).toMatchObject({ reason: 'ErrImageNeverPull' });
  const other = node.want('a:1', { uid: 'four', policy: 'IfNotPresent', credentials: [bob] });
  await settled();
  node.held[1]?.fail(new CriError(2, 'unauthorized'));
  expect(await other.ensured).toMatchObject({ reason: 'ErrImagePull', message: 'unauthorized' });
});

test('ensureImage() says once that it waits, and at which position', async () => {
  const node = kubelet(1);
  for (const image of ['a:1', 'b:1', 'c:1']) node.want(image);
  await node.clock.advance(60_000);
  const waits = node.events.filter(({ reason }) => reason === 'PullWaiting').map(({ message }) => message);
  expect(waits).toEqual([
    'Image "b:1" waits for the only slot, position 1',
    'Image "c:1" waits for the only slot, position 2',
  ]);
});

test.each([
  [0, '0s'],
  [350.9, '350ms'],
  [4_810, '4.81s'],
  [62_500, '1m2.5s'],
  [3_600_000, '1h0m0s'],
])('durationText(%d) is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
