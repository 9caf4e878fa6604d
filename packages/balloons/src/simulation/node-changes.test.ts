import type { KubeObject } from '@slipway/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readBalloonPod } from '../pods/balloon-pod.js';
import { quarter, WatchedCluster } from '../testing/watched-cluster.js';

let cluster: WatchedCluster;
const size = () => cluster.size('n1')?.status;

beforeEach(async () => {
  cluster = await WatchedCluster.ready();
});
afterEach(() => cluster.end());

describe('the node changes', () => {
  test('"hot-add: mode Balloon size +16Gi; mode Size unchanged, balloon +16Gi"', async () => {
    await cluster.resize('n1', { mode: 'Balloon', balloon: { cpu: '12', memory: '48Gi' } });
    cluster.setAllocatable('n1', { cpu: '16', memory: '80Gi' });
    await cluster.until(() => size()?.size?.memory === '32Gi');
    await cluster.resize('n1', quarter);
    cluster.setAllocatable('n1', { cpu: '16', memory: '96Gi' });
    await cluster.until(() => size()?.balloon?.allocated?.memory === '80Gi');
    expect(size()?.size?.memory).toBe('16Gi');
  });

  /** A node of 4 cores that pods use, and eight pods of one core each that wait. */
  async function fillAndWait(): Promise<void> {
    await cluster.resize('n1', quarter);
    await cluster.pass(1_000);
    for (let at = 1; at <= 4; at++) cluster.addWorkload(`busy-${at}`, { cpu: '1', memory: '1Gi' });
    await cluster.until(() => size()?.free?.cpu === '0');
    for (let at = 1; at <= 8; at++) cluster.addWorkload(`waits-${at}`, { cpu: '1', memory: '1Gi' });
    await cluster.pass(1_000);
  }
  const isPlaced = (pod: KubeObject) => pod.metadata.namespace === 'default' && Boolean(pod.spec?.nodeName);
  const endPlaced = async (name: string) => {
    for (const pod of cluster.pods().filter((each) => isPlaced(each) && each.metadata.name?.startsWith(name)))
      await cluster.deletePod(pod);
  };

  test('hot-add while pods wait: the size grows by what was placed before the balloon had grown, until that ends', async () => {
    await fillAndWait();
    cluster.killLeader();
    cluster.setAllocatable('n1', { cpu: '24', memory: '64Gi' });
    await cluster.pass(1_000);
    cluster.startLeader();
    await cluster.until(() => size()?.size?.cpu === '12');
    for (let at = 9; at <= 12; at++) cluster.addWorkload(`waits-${at}`, { cpu: '1', memory: '1Gi' });
    await cluster.pass(60_000);
    expect(size()?.size?.cpu).toBe('12');
    expect(cluster.condition('Ready')?.message).toContain('8 cpu too much');
    expect(cluster.pods().filter(isPlaced)).toHaveLength(12);
    expect(cluster.node('n1')?.spec?.taints).toEqual([{ key: 'balloons.slipway.dev/unsized', effect: 'NoSchedule' }]);
    const before = cluster.transport.writes.length;
    await endPlaced('waits');
    await cluster.until(() => size()?.size?.cpu === '4' && cluster.condition('Ready')?.status === 'True');
    await cluster.until(() => cluster.node('n1')?.spec?.taints?.length === 0);
    // New pods are let in last, not between two steps.
    const taints = cluster.transport.writes
      .slice(before)
      .filter(({ path }) => path.startsWith('/api/v1/nodes/n1'))
      .map(({ body }) => JSON.stringify(body).includes('balloons.slipway.dev/unsized'));
    expect(taints.slice(0, -1)).not.toContain(false);
  });

  test('hot-add while pods wait, and a scheduler that knows of no fence yet: the resize goes on behind the fence it has', async () => {
    cluster = await WatchedCluster.ready({ schedulerLagMs: 400 });
    await fillAndWait();
    cluster.killLeader();
    cluster.setAllocatable('n1', { cpu: '28', memory: '64Gi' });
    await cluster.pass(1_000);
    cluster.startLeader();
    await cluster.until(() => cluster.node('n1')?.spec?.taints?.length > 0);
    cluster.addWorkload('late', { cpu: '2', memory: '1Gi' });
    await cluster.until(() => size()?.resize === undefined);
    expect(size()).toMatchObject({ lastResize: { result: 'Partial' }, free: { cpu: '0' } });
    expect(size()?.history?.map(({ result }) => result)).not.toContain('Superseded');
  });

  test('a balloon gives back at once what the node has no more', async () => {
    await cluster.resize('n1', quarter);
    cluster.invariants.cut('n1');
    cluster.setAllocatable('n1', { cpu: '10', memory: '64Gi' });
    await cluster.until(() => size()?.balloon?.allocated?.cpu === '6');
    expect(size()?.size?.cpu).toBe('4');
  });

  test('a balloon pod that is deleted comes up at the right size', async () => {
    await cluster.resize('n1', quarter);
    const sizes: (string | undefined)[] = [];
    cluster.onStep(
      () => void sizes.push(cluster.balloon('n1') && readBalloonPod(cluster.theBalloon()).allocated.cpu.toString()),
    );
    const { uid } = cluster.theBalloon().metadata;
    await cluster.deletePod(cluster.theBalloon());
    await cluster.until(() => (size()?.podRef?.uid ?? uid) !== uid);
    await cluster.until(
      () => cluster.condition('Ready')?.status === 'True' && (cluster.node('n1')?.spec?.taints ?? []).length === 0,
    );
    expect(new Set(sizes)).toEqual(new Set([undefined, '12000']));
  });

  test('a cordoned node does not shrink and may grow', async () => {
    await cluster.resize('n1', { mode: 'Size', size: { cpu: '8' } });
    await cluster.editNode('n1', (draft) => {
      draft.spec = { ...draft.spec, unschedulable: true };
    });
    await cluster.ask('n1', { mode: 'Size', size: { cpu: '4' } });
    await cluster.pass(5_000);
    expect(cluster.condition('Ready')).toMatchObject({
      status: 'False',
      message: 'the node is cordoned or about to go',
    });
    await cluster.resize('n1', { mode: 'Full' });
    expect(size()?.size?.cpu).toBe('16');
  });

  test('paused: nothing is done until it is no more', async () => {
    await cluster.ask('n1', { ...quarter, paused: true });
    await cluster.pass(5_000);
    expect(cluster.condition('Ready')).toMatchObject({ reason: 'Paused' });
    expect(size()?.size?.cpu).toBe('16');
    await cluster.resize('n1', quarter);
    expect(size()?.size?.cpu).toBe('4');
  });
});
