import { type Cluster, scaledClock, startCluster } from '@slipway/devcluster';
import { silentLog, sleep, systemClock } from '@slipway/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RightsTrial, rightsIn, rightsToTry, type TrialResult, tryWithout } from '../testing/missing-rights.js';
import { agentToken, agentUser, nodeAgentRoles, nodeAgentTrial } from '../testing/node-agent-trial.js';
import { documentedTable, type Purposes, resourceOf, rightsTable } from '../testing/rights-table.js';

const timesAsFast = 20;
const stopping = new AbortController();
const results: TrialResult[] = [];
let cluster: Cluster;
let trial: RightsTrial;
const rights = rightsIn(nodeAgentRoles());
const purposes: Purposes = {
  nodes: 'its Node, for the port of the kubelet and for labels',
  'nodes/metrics': 'gates of the kubelet',
  'nodes/configz': 'which of them were set explicitly',
  'nodes/healthz': 'asking a kubelet that has it whether it is the same process',
  '/metrics': 'gates of scheduler and controller manager',
  '/flagz': 'which of them were set explicitly',
  'pods in kube-system': 'the same, from flags of static pods',
  events: 'waiting pulls, on their pods',
  'pulllimits.pulls.slipway.dev': 'the limit that applies to its node',
  'nodepullqueues.pulls.slipway.dev': 'the queue of its node',
};

beforeAll(async () => {
  const clock = scaledClock(timesAsFast);
  const tokens = { [agentToken]: agentUser };
  cluster = await startCluster({ nodes: 1, version: '1.34', componentPages: true, tokens, clock, log: silentLog });
  await cluster.ready();
  const pass = (ms: number) => sleep(systemClock, ms / timesAsFast);
  trial = await nodeAgentTrial(cluster, pass, stopping.signal);
}, 60_000);
afterAll(async () => {
  stopping.abort();
  await cluster.stop();
});

test('without any one of its rights the node agent lives, names that right, and goes on once it has it', async () => {
  for (const right of rightsToTry(rights)) results.push(await tryWithout(trial, right));
  expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect(results.filter(({ named }) => named === 'nowhere').map(({ right }) => right.verb)).toEqual([]);
}, 240_000);

test('docs/operations/rights.md says what each right is for and what happens without it', () => {
  expect(Object.keys(purposes).sort()).toEqual([...new Set(rights.map(resourceOf))].sort());
  const table = rightsTable(results, purposes);
  expect(documentedTable('Each right of the node agent', table)).toBe(table);
});
