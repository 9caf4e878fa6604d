import { type Cluster, startCluster } from '@slipway/devcluster';
import { silentLog } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { featureServerRoles, featureServerTrial } from '../testing/feature-server-trial.js';
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

const vaps = 'validatingadmissionpolicies.admissionregistration.k8s.io';
const purposes: Purposes = {
  'features.features.slipway.dev': 'announcing gates, deciding about them, retiring unknown ones',
  'features/status.features.slipway.dev': 'states, tasks and conditions',
  'featuredefinitions.features.slipway.dev': 'definitions, those included in the server among them',
  'featuredefinitions/status.features.slipway.dev': 'saying whether a definition can be carried out',
  'featureuses.features.slipway.dev': 'reports of processes',
  'featurevectors.features.slipway.dev': 'gates and values in those reports',
  nodes: 'rosters of components on nodes',
  pods: 'rosters of components in pods',
  'leases.coordination.k8s.io': 'rosters of components with leases, and its peers',
  events: 'events of Features',
  configmaps: 'requesting fresh reports',
  'subjectaccessreviews.authorization.k8s.io': 'rights of authors',
  [vaps]: 'the policy that verifies authors (get), and guards',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': 'bindings of these policies',
  'leases.coordination.k8s.io in slipway-system': 'its own lease, and those of servers that are gone',
  'statefulsets.apps': '`feature rbac`: finding and clearing uses of MaxUnavailableStatefulSet',
  'statefulsets.apps in slipway-trials': '`feature rbac`: trying its guard',
  'secrets in slipway-system': '`feature rbac`: backups of cleared values',
};

/** The part of the process that reads API servers has a test of its own, with real connections. */
const ofPages = /endpointslices|^get \//;
const rights = rightsIn(featureServerRoles()).filter(({ verb }) => !ofPages.test(verb));
/** Not to have guards is an option of an installation, which the condition GuardActive shows as NotGuarded. */
const optional = `create ${vaps}`;

beforeAll(async () => {
  cluster = await startCluster({ nodes: 1, version: '1.34', log: silentLog, clock: new ManualClock(Date.now()) });
  await inSteps(cluster, cluster.ready());
  trial = await inSteps(cluster, featureServerTrial(cluster, stopping.signal));
}, 60_000);
afterAll(async () => {
  stopping.abort();
  await inSteps(cluster, cluster.stop());
});

test('without any one of its rights the feature server lives, names that right, and goes on once it has it', async () => {
  for (const right of rightsToTry(rights)) results.push(await tryWithout(trial, right));
  expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
  const silent = results.filter(({ named }) => named === 'nowhere').map(({ right }) => right.verb);
  expect(silent.filter((verb) => verb !== optional)).toEqual([]);
}, 240_000);

test('docs/operations/rights.md says what each right is for and what happens without it', () => {
  expect(Object.keys(purposes).sort()).toEqual([...new Set(rights.map(resourceOf))].sort());
  const table = rightsTable(results, purposes, { [optional]: '`GuardActive` is `NotGuarded`' });
  expect(documentedTable('Each right of the feature server', table)).toBe(table);
});
