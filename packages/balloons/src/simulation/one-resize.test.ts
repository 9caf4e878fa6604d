import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readBalloonPod } from '../pods/balloon-pod.js';
import { quarter, WatchedCluster } from '../testing/watched-cluster.js';

let cluster: WatchedCluster;
const size = () => cluster.size('n1')?.status;
const isResize = ({ path }: { readonly path: string }) => path.includes('/resize');

beforeEach(async () => {
  cluster = await WatchedCluster.ready();
});
afterEach(() => cluster.end());

describe('down and up', () => {
  test('a node shrinks by three writes and rests', async () => {
    await cluster.pass(1_000);
    const before = cluster.transport.writes.length;
    const { status } = await cluster.resize('n1', quarter);
    expect(status).toMatchObject({ size: quarter.size, lastResize: { direction: 'Down', result: 'Succeeded' } });
    await cluster.pass(120_000);
    const paths = cluster.transport.writes.slice(before).map(({ method, path }) => `${method} ${path.split('?')[0]}`);
    expect(paths.filter((path) => !path.includes('balloonpolicies'))).toEqual([
      'PUT /apis/balloons.slipway.dev/v1alpha1/nodesizes/n1/status',
      expect.stringMatching(/^PATCH \/api\/v1\/namespaces\/kube-system\/pods\/.*\/resize$/),
      'PUT /apis/balloons.slipway.dev/v1alpha1/nodesizes/n1/status',
    ]);
  });

  test('what pods ask for is not taken: nothing is written to the pod', async () => {
    cluster.addWorkload('busy', { cpu: '5', memory: '20Gi' });
    await cluster.until(() => cluster.pod('busy')?.status?.phase === 'Running');
    const { status } = await cluster.resize('n1', { mode: 'Size', size: { cpu: '4', memory: '30Gi' } });
    expect(status).toMatchObject({ lastResize: { result: 'DoesNotFit' }, size: { cpu: '16' } });
    expect(status?.lastResize?.message).toBe(
      'pods ask for more than that would leave: 1 cpu too much; the smallest size now is 5 cpu and 20Gi memory',
    );
    expect(cluster.transport.writes.filter(isResize)).toEqual([]);
  });

  test('BestEffort goes as far as it fits', async () => {
    cluster.addWorkload('busy', { cpu: '5', memory: '20Gi' });
    await cluster.until(() => cluster.pod('busy')?.status?.phase === 'Running');
    const { status } = await cluster.resize('n1', { ...quarter, fit: 'BestEffort' });
    expect(status).toMatchObject({ lastResize: { result: 'Partial' }, size: { cpu: '5', memory: '20Gi' } });
  });

  test('one resource up and the other down', async () => {
    await cluster.resize('n1', quarter);
    const { status } = await cluster.resize('n1', { mode: 'Size', size: { cpu: '8', memory: '8Gi' } });
    expect(status).toMatchObject({
      lastResize: { direction: 'Mixed', result: 'Succeeded' },
      size: { cpu: '8', memory: '8Gi' },
    });
  });

  test('a size larger than the node is refused, and nothing changes then or later', async () => {
    const { status } = await cluster.resize('n1', { mode: 'Size', size: { cpu: '40' } });
    expect(status?.lastResize).toMatchObject({
      result: 'Rejected',
      message: '40 cpu is larger than the node, which has 16; ask for no more than that',
    });
    await cluster.pass(60_000);
    expect(cluster.transport.writes.filter(isResize)).toEqual([]);
  });
});

describe('"a kubelet stopped in the middle"', () => {
  test('what was to grow is taken back: it does not grow later either', async () => {
    const kubelet = cluster.kubelets.get('n1');
    if (!kubelet) throw new Error('no kubelet');
    kubelet.isStopped = true;
    const { status } = await cluster.resize('n1', quarter);
    expect(status).toMatchObject({ lastResize: { result: 'TimedOut' }, size: { cpu: '16' } });
    expect(readBalloonPod(cluster.theBalloon())).toMatchObject({ desired: { cpu: 0n }, allocated: { cpu: 0n } });
    kubelet.isStopped = false;
    await cluster.until(() => size()?.lastResize?.result === 'Succeeded', 60_000);
  });

  test('what was to shrink stays asked for, and the kubelet does it when it is back', async () => {
    await cluster.resize('n1', quarter);
    const kubelet = cluster.kubelets.get('n1');
    if (!kubelet) throw new Error('no kubelet');
    kubelet.isStopped = true;
    const { status } = await cluster.resize('n1', { mode: 'Full' });
    expect(status).toMatchObject({ lastResize: { result: 'TimedOut' }, size: { cpu: '4' } });
    kubelet.isStopped = false;
    await cluster.until(() => cluster.condition('Ready')?.status === 'True');
    expect(size()).toMatchObject({ size: { cpu: '16' } });
  });
});

describe('the leader dies', () => {
  test('right after the patch: the next one finds that it was taken', async () => {
    cluster.transport.afterWrite = (request) => {
      if (isResize(request)) cluster.killLeader();
    };
    await cluster.ask('n1', { ...quarter, requestID: 'a1' });
    await cluster.until(() => !cluster.isLed);
    await cluster.pass(1_000);
    expect(size()?.resize).toMatchObject({ direction: 'Down' });
    cluster.startLeader();
    await cluster.until(() => size()?.resize === undefined, 20_000);
    expect(size()).toMatchObject({ observedRequestID: 'a1', lastResize: { result: 'Succeeded' } });
  });

  test('right after the patch, and a pod came first: the next one takes it back and plans anew', async () => {
    const kubelet = cluster.kubelets.get('n1');
    if (!kubelet) throw new Error('no kubelet');
    kubelet.isStopped = true;
    cluster.transport.afterWrite = (request) => {
      if (isResize(request)) cluster.killLeader();
    };
    await cluster.ask('n1', { ...quarter, fence: 'Never' });
    await cluster.until(() => !cluster.isLed);
    cluster.startLeader();
    await cluster.until(() => size()?.history?.some(({ reason }) => reason === 'LeaderChanged') ?? false, 20_000);
    kubelet.isStopped = false;
    await cluster.until(() => size()?.lastResize?.result === 'Succeeded', 60_000);
  });

  test('behind a fence: the next one takes it away', async () => {
    await cluster.ask('n1', { ...quarter, fence: 'Always' });
    await cluster.until(() => (cluster.node('n1')?.spec?.taints ?? []).length > 0);
    cluster.killLeader();
    await cluster.pass(1_000);
    cluster.startLeader();
    await cluster.until(() => (cluster.node('n1')?.spec?.taints ?? []).length === 0, 20_000);
    await cluster.until(() => cluster.condition('Ready')?.status === 'True');
    expect(cluster.node('n1')?.metadata.annotations ?? {}).toEqual({});
  });
});

describe('requests fail', () => {
  test('"patch applied, reply lost": continue', async () => {
    cluster.transport.failNext({ kind: 'lost-answer' }, isResize);
    const { status } = await cluster.resize('n1', quarter);
    expect(status?.lastResize?.result).toBe('Succeeded');
  });

  test.each([
    ['exceeded quota: small, requested: requests.cpu=12', 'QuotaExceeded'],
    ['maximum cpu usage per Container is 2, but limit is 12', 'LimitRange'],
  ])('403 "%s": Rejected with %s, and not asked again for five minutes', async (message, reason) => {
    cluster.transport.failNext({ kind: 'refused', status: 403, message }, isResize);
    const { status } = await cluster.resize('n1', quarter);
    expect(status?.lastResize).toMatchObject({ result: 'Rejected', reason, message });
    await cluster.pass(60_000);
    expect(cluster.transport.writes.filter(isResize)).toHaveLength(1);
    expect(cluster.condition('Degraded')).toMatchObject({ status: 'True', reason });
    await cluster.until(() => cluster.condition('Ready')?.status === 'True', 300_000);
    expect(cluster.condition('Degraded')).toMatchObject({ status: 'False' });
  });

  test.each([409, 429, 500])('%d: tried again', async (status) => {
    cluster.transport.failNext({ kind: 'refused', status }, isResize);
    const after = await cluster.resize('n1', quarter);
    expect(after.status?.lastResize?.result).toBe('Succeeded');
  });
});

describe('others write too', () => {
  test('another client resizes the balloon pod: NodeSize reports its size', async () => {
    cluster.invariants.foreign(cluster.theBalloon());
    await cluster.resizePod(cluster.theBalloon(), { cpu: '6', memory: '8Mi' });
    await cluster.until(() => size()?.lastResize?.reason === 'ExternalResize');
    expect(readBalloonPod(cluster.theBalloon())).toMatchObject({ desired: { cpu: 0n }, allocated: { cpu: 0n } });
  });

  test('in mode External it stays as large as that, also when its pod is another one', async () => {
    await cluster.resize('n1', { mode: 'External' });
    cluster.invariants.foreign(cluster.theBalloon());
    await cluster.resizePod(cluster.theBalloon(), { cpu: '12', memory: '48Gi' });
    await cluster.until(() => size()?.size?.cpu === '4');
    expect(size()).toMatchObject({ size: { cpu: '4', memory: '16Gi' } });
    await cluster.deletePod(cluster.theBalloon());
    await cluster.until(
      () =>
        size()?.podRef?.uid === cluster.balloon('n1')?.metadata.uid && cluster.condition('Ready')?.status === 'True',
    );
    expect(size()).toMatchObject({ size: { cpu: '4', memory: '16Gi' } });
  });

  test('in mode External a size that does not fit fails, rather than to wait for its moment', async () => {
    cluster.addWorkload('busy', { cpu: '10', memory: '1Gi' });
    await cluster.until(() => cluster.pod('busy')?.status?.phase === 'Running');
    await cluster.resize('n1', { mode: 'External' });
    cluster.invariants.foreign(cluster.theBalloon());
    await cluster.resizePod(cluster.theBalloon(), { cpu: '12', memory: '48Gi' });
    await cluster.until(() => size()?.lastResize?.result === 'RolledBack');
    expect(readBalloonPod(cluster.theBalloon()).desired.cpu).toBe(0n);
  });

  test('another size is asked for meanwhile: the first is taken back, never stacked', async () => {
    const kubelet = cluster.kubelets.get('n1');
    if (!kubelet) throw new Error('no kubelet');
    kubelet.isStopped = true;
    await cluster.ask('n1', quarter);
    await cluster.until(() => readBalloonPod(cluster.theBalloon()).desired.cpu === 12_000n);
    await cluster.ask('n1', { mode: 'Size', size: { cpu: '8', memory: '32Gi' } });
    await cluster.until(() => size()?.history?.some(({ result }) => result === 'Superseded') ?? false);
    kubelet.isStopped = false;
    await cluster.until(() => size()?.size?.cpu === '8');
  });

  test('a workload that waits to grow comes first', async () => {
    cluster.addWorkload('busy', { cpu: '2', memory: '1Gi' });
    await cluster.resize('n1', { mode: 'Size', size: { cpu: '8' } });
    await cluster.resizePod(cluster.pod('busy') as never, { cpu: '10', memory: '1Gi' });
    await cluster.until(() => cluster.pod('busy')?.status?.conditions?.[0]?.reason === 'Deferred');
    const { status } = await cluster.resize('n1', { mode: 'Size', size: { cpu: '6' } });
    expect(status?.lastResize).toMatchObject({ result: 'DoesNotFit' });
    await cluster.resize('n1', { mode: 'Full' });
    await cluster.until(() => cluster.pod('busy')?.status?.conditions?.length === 0);
  });
});

test('swap: "hold; SwapBlocksMemory, cpu still managed alone"', async () => {
  const kubelet = cluster.kubelets.get('n1');
  if (kubelet) kubelet.swaps = true;
  await cluster.resize('n1', quarter);
  await cluster.until(() => size()?.size?.cpu === '4');
  await cluster.pass(60_000);
  expect(
    size()
      ?.history?.map(({ result }) => result)
      .slice(0, 2),
  ).toEqual(['Partial', 'Infeasible']);
  expect(size()).toMatchObject({
    size: { cpu: '4', memory: '65528Mi' },
    lastResize: { result: 'Partial', reason: 'SwapBlocksMemory' },
  });
  expect(cluster.condition('Degraded')).toMatchObject({ status: 'True', reason: 'SwapBlocksMemory' });
  expect(cluster.condition('Ready')?.message).toContain('give the policy spec.pod.memoryLimit MatchRequest');
  const writes = cluster.transport.writes.length;
  await cluster.pass(600_000, 1_000);
  expect(cluster.transport.writes.length).toBe(writes);
  await cluster.resize('n1', { mode: 'Size', size: { cpu: '8' } });
  expect(size()).toMatchObject({ size: { cpu: '8' }, lastResize: { result: 'Succeeded' } });
  expect(cluster.condition('Degraded')?.status).toBe('False');
  await cluster.setPolicy({ enabled: false });
  await cluster.until(() => cluster.balloons().length === 0);
});

describe('"disable: nodes first have back what they had"', () => {
  test('then nothing of ours is left, and enabling brings the sizes back', async () => {
    await cluster.resize('n1', quarter);
    await cluster.setPolicy({ enabled: false });
    await cluster.until(() => cluster.daemonSets().length === 0 && cluster.balloons().length === 0);
    await cluster.pass(1_000);
    cluster.invariants.checkNothingLeft();
    await cluster.setPolicy({ enabled: true });
    await cluster.until(() => size()?.size?.cpu === '4');
  });

  test('a policy that is deleted goes when its nodes have back what they had', async () => {
    await cluster.resize('n1', quarter);
    await cluster.deletePolicy();
    await cluster.until(() => cluster.policies().length === 0);
    cluster.invariants.checkNothingLeft();
  });

  test('a NodeSize that is deleted goes when its node has back what it had', async () => {
    await cluster.resize('n1', quarter);
    const { uid } = cluster.size('n1')?.metadata ?? {};
    await cluster.deleteSize('n1');
    await cluster.until(() => cluster.size('n1')?.metadata.uid !== uid && size()?.size?.cpu === '16');
  });
});

test('a balloon that does not run takes the image that its policy names now; one that runs stays as it is', async () => {
  const image = () => cluster.theBalloon().spec?.containers[0].image;
  await cluster.setPolicy({ pod: { image: 'mirror.example/pause:1' } });
  await cluster.pass(5_000);
  expect(image()).toBe('registry.k8s.io/pause:3.10');

  const kubelet = cluster.kubelets.get('n1');
  if (kubelet) kubelet.isStopped = true;
  const { uid } = cluster.theBalloon().metadata;
  await cluster.deletePod(cluster.theBalloon());
  await cluster.until(() => {
    const pod = cluster.balloon('n1');
    return pod !== undefined && pod.metadata.uid !== uid && pod.spec?.nodeName === 'n1';
  });
  expect(image()).toBe('mirror.example/pause:1');
  await cluster.setPolicy({ pod: { image: 'mirror.example/pause:2' } });
  await cluster.until(() => image() === 'mirror.example/pause:2');
});

describe('priority', () => {
  test('Polite where the control plane does not know the class of the proposal', async () => {
    await cluster.stop();
    cluster = await WatchedCluster.ready({ isNative: false });
    const { status } = await cluster.resize('n1', quarter);
    expect(status?.lastResize?.result).toBe('Succeeded');
    expect(cluster.theBalloon().spec).toMatchObject({
      priorityClassName: 'slipway-balloon',
      preemptionPolicy: 'Never',
    });
  });

  test('Protected on a kubelet that evicts for it: refused, PriorityUnsafe', async () => {
    await cluster.stop();
    cluster = await WatchedCluster.ready({ isNative: false, policy: { priorityMode: 'Protected' } });
    cluster.addWorkload('busy', { cpu: '5', memory: '20Gi' });
    await cluster.ask('n1', { mode: 'Size', size: { cpu: '6' } });
    await cluster.pass(5_000);
    expect(cluster.condition('Degraded')).toMatchObject({ status: 'True', reason: 'PriorityUnsafe' });
    expect(cluster.transport.writes.filter(isResize)).toEqual([]);
  });
});
