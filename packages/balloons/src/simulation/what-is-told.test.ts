import { afterEach, describe, expect, test } from 'vitest';
import { NodeSize } from '../api/node-size.js';
import { balloonGate } from '../gates/balloon-gate.js';
import { Pod } from '../pods/pod.js';
import { quarter, WatchedCluster } from '../testing/watched-cluster.js';

let cluster: WatchedCluster;

const status = () => cluster.size('n1')?.status;
const statusWrites = () => cluster.transport.writes.filter(({ path }) => path.includes('nodesizes/n1/status')).length;

async function run(name: string, cpu: string): Promise<void> {
  cluster.addWorkload(name, { cpu, memory: '1Gi' });
  await cluster.until(() => cluster.pod(name)?.status?.phase === 'Running');
}

afterEach(() => cluster.end());

describe('"requested/free coarse: write only on >=5% or >=30 s change"', () => {
  test('much is told at once, little after 30 s and once', async () => {
    cluster = await WatchedCluster.ready();
    await cluster.pass(31_000);
    const before = statusWrites();
    await run('large', '4');
    await cluster.until(() => status()?.requested?.cpu === '4');
    await run('small', '500m');
    await cluster.pass(20_000);
    expect(status()).toMatchObject({ requested: { cpu: '4' }, free: { cpu: '12' } });
    await cluster.pass(15_000);
    expect(status()).toMatchObject({ requested: { cpu: '4500m' }, free: { cpu: '11500m' } });
    await cluster.pass(120_000);
    expect(statusWrites() - before).toBe(2);
  });
});

describe('a balloon that is created with its size', () => {
  const quarterOfIt = { default: { mode: 'Fraction', fraction: '1/4' } } as const;
  const last = () => status()?.lastResize;

  test('is told as the resize that it is: 50 nodes whose first size is a quarter', async () => {
    cluster = await WatchedCluster.ready({ nodes: 50, policy: quarterOfIt });
    const all = () => Array.from({ length: 50 }, (_, at) => cluster.size(`n${at + 1}`)?.status?.lastResize);
    await cluster.until(() => all().every((each) => each !== undefined), 60_000);
    const expected = { result: 'Succeeded', direction: 'Down', from: { cpu: '0' }, to: { cpu: '12', memory: '48Gi' } };
    for (const each of all()) expect(each).toMatchObject(expected);
  });

  test('is told as partly done where pods leave it less, and that is enough', async () => {
    cluster = new WatchedCluster({ policy: { default: { ...quarterOfIt.default, fit: 'BestEffort' } } });
    cluster.addWorkload('busy', { cpu: '10', memory: '1Gi' });
    await cluster.until(() => last() !== undefined);
    expect(last()).toMatchObject({ result: 'Partial', direction: 'Down', from: { cpu: '0' }, to: { cpu: '6' } });
  });

  test('has nothing to do when the same is asked for again, nor when it is created anew', async () => {
    cluster = await WatchedCluster.ready({ policy: quarterOfIt });
    await cluster.resize('n1', { mode: 'Size', size: { cpu: '4', memory: '16Gi' } });
    expect(last()?.result).toBe('NoChange');
    const balloon = cluster.balloon('n1');
    if (balloon) await cluster.deletePod(balloon);
    await cluster.until(() => cluster.condition('Ready')?.status === 'True' && cluster.balloon('n1') !== undefined);
    await cluster.resize('n1', { mode: 'Fraction', fraction: '1/4' });
    expect(last()?.result).toBe('NoChange');
  });
});

test('what a container runs with is told where it stays other than what is set aside, and not else', async () => {
  cluster = await WatchedCluster.ready();
  await cluster.resize('n1', quarter);
  await cluster.pass(31_000);
  const told = status()?.balloon;
  expect(told).toEqual({ desired: told?.allocated, allocated: told?.allocated });

  const kubelet = cluster.kubelets.get('n1');
  if (kubelet) kubelet.isStopped = true;
  const pod = cluster.balloon('n1');
  const requests = { cpu: '1', memory: '1Gi' };
  const containerStatuses = [{ ...pod?.status?.containerStatuses[0], resources: { requests } }];
  if (pod) cluster.put(Pod, { ...pod, status: { ...pod.status, containerStatuses } });
  const before = statusWrites();
  await cluster.pass(120_000);
  expect(statusWrites() - before).toBe(1);
  expect(status()?.balloon).toEqual({ ...told, actual: requests });
});

test('a node that two policies claim alike is Degraded with PolicyConflict until one of them is heavier', async () => {
  cluster = await WatchedCluster.ready();
  cluster.addPolicy('other', {});
  await cluster.until(() => cluster.condition('Degraded')?.reason === 'PolicyConflict');
  expect(cluster.condition('Degraded')?.message).toContain(
    'policies all and other select the node with the same weight',
  );
  await cluster.setPolicy({ weight: 1 });
  await cluster.until(() => cluster.condition('Degraded')?.status === 'False');
});

test('a resize by others that was taken back is said: Degraded with ExternalResizeReverted', async () => {
  cluster = await WatchedCluster.ready();
  await run('busy', '10');
  const pod = cluster.balloon('n1');
  if (!pod) throw new Error('no balloon');
  cluster.invariants.foreign(pod);
  await cluster.resizePod(pod, { cpu: '9', memory: '8Mi' });
  await cluster.until(() => status()?.lastResize?.result === 'RolledBack');
  expect(cluster.condition('Degraded')).toMatchObject({ status: 'True', reason: 'ExternalResizeReverted' });
  await cluster.until(() => cluster.condition('Degraded')?.status === 'False', 60_000);
});

describe('"mode Recommend (writes status only)"', () => {
  const autosize = { mode: 'Recommend', stabilizationSeconds: 20 } as const;

  test('what would be done is in the status and in the metrics, and nothing is done', async () => {
    cluster = await WatchedCluster.ready({ policy: { autosize } });
    await run('busy', '4');
    await cluster.pass(30_000, 1_000);
    expect(status()?.recommended).toEqual({ cpu: '8', memory: '32764Mi' });
    expect(cluster.size('n1')?.spec.mode).toBe('Full');
    expect(cluster.metrics.page()).toContain('slipway_autosize_target{node="n1",resource="cpu",unit="core"} 8\n');
    await cluster.setPolicy({});
    await cluster.until(() => status()?.recommended === undefined);
  });

  test('why a node that could shrink does not is counted once', async () => {
    cluster = await WatchedCluster.ready({ policy: { autosize } });
    await cluster.editNode('n1', (draft) => {
      draft.spec = { ...draft.spec, unschedulable: true };
    });
    await cluster.pass(60_000, 1_000);
    expect(cluster.metrics.page()).toContain('slipway_autosize_blocked_total{reason="Leaving"} 1\n');
  });
});

test('"autosizer treats Deferred as demand to deflate": a pod that waits to grow has its node grow', async () => {
  cluster = await WatchedCluster.ready({ policy: { autosize: { mode: 'Enforce' } } });
  await run('grows', '3');
  await cluster.resize('n1', quarter);
  const pod = cluster.pod('grows');
  if (!pod) throw new Error('no pod');
  await cluster.resizePod(pod, { cpu: '8', memory: '1Gi' });
  await cluster.until(() => status()?.size?.cpu === '9200m');
  await cluster.until(() => cluster.pod('grows')?.status?.containerStatuses[0].allocatedResources.cpu === '8');
});

test('the gate NodeBalloons switched off is as if every policy were off, and on again brings sizes back', async () => {
  const gate = balloonGate();
  cluster = await WatchedCluster.ready({ gate });
  await cluster.resize('n1', quarter);
  gate.setFromMap({ NodeBalloons: false });
  await cluster.until(() => cluster.daemonSets().length === 0 && cluster.balloons().length === 0);
  await cluster.pass(1_000);
  cluster.invariants.checkNothingLeft();
  gate.setFromMap({ NodeBalloons: true });
  await cluster.until(() => status()?.size?.cpu === '4');
});

test('each phase of a resize is timed, and how long new pods were kept away', async () => {
  cluster = await WatchedCluster.ready();
  await cluster.resize('n1', { ...quarter, fence: 'Always' });
  const page = cluster.metrics.page();
  for (const phase of ['check', 'fence', 'patch', 'observe', 'whole']) {
    expect(page).toContain(`slipway_balloon_resize_duration_seconds_count{direction="Down",phase="${phase}"} 1\n`);
  }
  expect(page).toMatch(/^slipway_balloon_resize_duration_seconds_sum\{direction="Down",phase="fence"\} 0\.[5-9]/m);
  expect(page).toMatch(/^slipway_balloon_fence_seconds_total 0\.[5-9]/m);
});

test('a resize is told as a trace, with each phase in it, and why when it comes to nothing', async () => {
  cluster = await WatchedCluster.ready();
  await cluster.resize('n1', quarter);
  const kubelet = cluster.kubelets.get('n1');
  if (kubelet) kubelet.isStopped = true;
  await cluster.ask('n1', { mode: 'Full' });
  await cluster.until(() => status()?.lastResize?.result === 'TimedOut', 120_000);
  const told = cluster.spans.map(({ trace, name, error }) => ({ resize: trace.split(' ').at(-1), name, error }));
  const [down = '', up = ''] = [...new Set(told.map(({ resize }) => resize))];
  const of = (resize: string) => told.filter((span) => span.resize === resize).map(({ name }) => name);
  const phases = ['check', 'patch', 'observe'].map((phase) => `slipway.node.resize.${phase}`);
  expect(of(down)).toEqual([...phases, 'slipway.node.resize']);
  expect(of(up)).toEqual([...phases, 'slipway.node.resize']);
  expect(told.filter(({ error }) => error !== undefined)).toEqual([
    { resize: up, name: 'slipway.node.resize', error: status()?.lastResize?.message },
  ]);
});

test('a balloon that another client deletes is a loss; balloons that are taken away are none', async () => {
  cluster = await WatchedCluster.ready();
  const pod = cluster.balloon('n1');
  if (pod) await cluster.deletePod(pod);
  await cluster.until(() => cluster.balloon('n1')?.metadata.uid !== pod?.metadata.uid);
  await cluster.until(
    () => status()?.podRef?.uid !== pod?.metadata.uid && cluster.condition('Ready')?.status === 'True',
  );
  expect(cluster.metrics.page()).toContain('slipway_balloon_lost_total{cause="deleted"} 1\n');
  await cluster.setPolicy({ enabled: false });
  await cluster.until(() => cluster.balloons().length === 0);
  await cluster.pass(1_000);
  expect(cluster.metrics.page()).toContain('slipway_balloon_lost_total{cause="deleted"} 1\n');
});

test('the generation of a NodeSize that a user wrote is answered whatever else is reported', async () => {
  cluster = await WatchedCluster.ready();
  await cluster.admin.resource(NodeSize).merge({ name: 'n1' }, { spec: { requestID: 'a' } });
  await cluster.until(() => status()?.observedRequestID === 'a');
});
