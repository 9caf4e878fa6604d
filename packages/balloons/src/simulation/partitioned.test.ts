import { afterEach, expect, test } from 'vitest';
import { keys } from '../api/group.js';
import { HostPartition } from '../api/host-partition.js';
import { NodeSize } from '../api/node-size.js';
import { formatAmounts, parseAmounts, resources, sum, within } from '../planner/amounts.js';
import { WatchedCluster } from '../testing/watched-cluster.js';

const host = { cpu: '16', memory: '64Gi' };
const names = ['n1', 'n2', 'n3'];
let cluster: WatchedCluster;

/** Three kubelets that each report the whole machine, shared by these weights. */
async function start(...weights: readonly number[]): Promise<void> {
  cluster = new WatchedCluster({ nodes: 3 });
  await share(...weights);
}

async function share(...weights: readonly number[]): Promise<void> {
  const members = names.map((node, at) => ({ node, weight: weights[at] ?? 1 }));
  await cluster.partition({ host: 'lab', members });
}

async function labelled(value: string): Promise<void> {
  for (const name of names) {
    await cluster.editNode(name, ({ metadata }) => {
      metadata.labels = { ...metadata.labels, [keys.host]: value };
    });
  }
}

const sizes = () => names.map((name) => parseAmounts(cluster.size(name)?.status?.size));
const partition = () => cluster.api.stored(HostPartition)[0] as HostPartition | undefined;
const balanced = () => partition()?.status?.conditions?.find(({ type }) => type === 'Balanced');

afterEach(() => cluster.end());

test('I10: "partition sum <= host - reserve from first Balanced on", whatever moves between members', async () => {
  await start(1, 1, 2);
  await cluster.until(() => balanced()?.status === 'True');
  cluster.onStep(() => expect(within(sum(sizes()), parseAmounts(host)), JSON.stringify(balanced())).toBe(true));
  for (const weights of [
    [2, 1, 1],
    [1, 6, 1],
    [1, 1, 1],
  ]) {
    await share(...weights);
    await cluster.pass(500);
    await cluster.until(() => balanced()?.status === 'True');
  }
  const third = formatAmounts(sizes()[0] ?? parseAmounts({}));
  expect(third.cpu).toBe('5340m');
  expect(resources.every((resource) => (sum(sizes())[resource] * 100n) / parseAmounts(host)[resource] >= 99n)).toBe(
    true,
  );
});

test('"distinct field managers; conflict = error, not force": a size that git applies is left to git, and said', async () => {
  await start();
  await cluster.until(() => balanced()?.status === 'True');
  const spec = { mode: 'Size', size: { cpu: '2', memory: '8Gi' } };
  const managedFields = [{ manager: 'git', operation: 'Apply', fieldsV1: { 'f:spec': {} } }];
  await cluster.admin.resource(NodeSize).merge({ name: 'n2' }, { metadata: { managedFields }, spec });
  await cluster.until(() => balanced()?.reason === 'Contested');
  expect(balanced()?.message).toBe('the size of n2 is applied by git, which would write it again');
  await cluster.until(() => cluster.size('n2')?.status?.size?.cpu === '2');
  await cluster.pass(60_000, 1_000);
  expect(cluster.size('n2')?.spec.size).toEqual(spec.size);
});

test('a partition that is deleted leaves sizes as they are', async () => {
  await start();
  await cluster.until(() => balanced()?.status === 'True');
  await cluster.partition(undefined);
  await cluster.pass(60_000, 1_000);
  expect(cluster.size('n1')?.status?.size?.cpu).toBe('5340m');
});

test.each(['labelled', 'only named'])(
  'a node that is removed, %s, keeps its size, and no other node grows into it',
  async (how) => {
    await start();
    if (how === 'labelled') await labelled('lab');
    await cluster.until(() => balanced()?.status === 'True');
    await cluster.partition({ host: 'lab', members: [{ node: 'n1' }, { node: 'n2' }] });
    let isHere = true;
    cluster.onStep(() => expect(!isHere || within(sum(sizes()), parseAmounts(host)), 'the sum fits').toBe(true));
    await cluster.pass(60_000, 1_000);
    isHere = false;
    expect(sizes().map((size) => formatAmounts(size).cpu)).toEqual(['5340m', '5330m', '5330m']);
    expect(partition()?.status?.others).toMatchObject([{ node: 'n3', size: { cpu: '5330m' } }]);
    await cluster.editNode('n3', ({ metadata }) => {
      metadata.labels = { ...metadata.labels, [keys.host]: 'other' };
    });
    await cluster.until(() => cluster.size('n1')?.status?.size?.cpu === '8');
    expect(partition()?.status?.others).toBeUndefined();
  },
);
