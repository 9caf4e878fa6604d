import { type Cluster, startCluster } from '@slipway/devcluster';
import { silentLog } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { balloonRoles, balloonTrial } from '../testing/balloon-trial.js';
import {
  inSteps,
  type RightsTrial,
  rightsIn,
  rightsToTry,
  type TrialResult,
  tryWithout,
} from '../testing/missing-rights.js';
import { documentedTable, type Purposes, resourceOf, rightsTable } from '../testing/rights-table.js';

const stopping = new AbortController();
const results: TrialResult[] = [];
let cluster: Cluster;
let trial: RightsTrial;

const purposes: Purposes = {
  nodes: 'allocatable amounts and labels; cordoning, taints and labels (update)',
  pods: 'requests of pods',
  persistentvolumeclaims: 'nodes on which the volumes of waiting pods can be used',
  persistentvolumes: 'the same',
  events: 'resizes of balloons by other clients that it undoes',
  'nodesizes.balloons.slipway.dev': 'desired sizes, one for each managed node',
  'nodesizes/status.balloons.slipway.dev': 'results',
  'balloonpolicies.balloons.slipway.dev': 'policies, and their finalizer (update)',
  'balloonpolicies/status.balloons.slipway.dev': 'their results',
  'hostpartitions.balloons.slipway.dev': 'shares of a host',
  'hostpartitions/status.balloons.slipway.dev': 'their results',
  'priorityclasses.scheduling.k8s.io': 'the classes of balloons, by name except for create',
  'nodes.metrics.k8s.io': 'metrics of use',
  'pods.metrics.k8s.io': 'use by balloons, which is subtracted',
  'pods in kube-system': 'balloons: reading one, removing its scheduling gate',
  'pods/resize in kube-system': 'resizing balloons',
  'daemonsets.apps in kube-system': 'balloons of a policy',
  'featurevectors.features.slipway.dev in kube-system': 'reporting its gate',
  'featureuses.features.slipway.dev in kube-system': 'reporting its gate; delete when it ends',
  'features.features.slipway.dev in kube-system': 'the published value of its gate',
  'configmaps in kube-system': 'requests for fresh reports, by name',
  'leases.coordination.k8s.io in slipway-system': 'election of the active process',
};
const rights = rightsIn(balloonRoles());

beforeAll(async () => {
  const nodeCapacity = { cpu: '16', memory: '64Gi', pods: '110' };
  cluster = await startCluster({ nodes: 2, nodeCapacity, log: silentLog, clock: new ManualClock(Date.now()) });
  await inSteps(cluster, cluster.ready());
  trial = await inSteps(cluster, balloonTrial(cluster, stopping.signal));
}, 60_000);
afterAll(async () => {
  stopping.abort();
  await inSteps(cluster, cluster.stop());
});

test('without any one of its rights the balloon controller lives, names that right, and goes on once it has it', async () => {
  for (const right of rightsToTry(rights)) results.push(await tryWithout(trial, right));
  expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
  const silent = results.filter(({ named }) => named === 'nowhere').map(({ right }) => right.verb);
  expect(silent).toEqual([]);
}, 240_000);

test('docs/operations/rights.md says what each right is for and what happens without it', () => {
  expect(Object.keys(purposes).sort()).toEqual([...new Set(rights.map(resourceOf))].sort());
  const table = rightsTable(results, purposes);
  expect(documentedTable('Each right of the balloon controller', table)).toBe(table);
});
