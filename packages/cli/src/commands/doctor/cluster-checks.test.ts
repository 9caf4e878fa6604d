import { balloonCrds, type NodeSize } from '@slipway/balloons';
import { type Feature, featureCrds } from '@slipway/features';
import type { KubeObject, Lease } from '@slipway/kube';
import { pullCrds } from '@slipway/node-agent/install';
import { expect, test } from 'vitest';
import { checkCluster } from './cluster-checks.js';
import type { ClusterFacts } from './cluster-facts.js';

const nowMs = Date.parse('2026-01-01T01:00:00Z');
const established = { conditions: [{ type: 'Established', status: 'True' }] };
const served = [...featureCrds(), ...pullCrds(), ...balloonCrds()].map((crd) => ({ ...crd, status: established }));
const workload = (kind: string, name: string, status: object): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { namespace: 'slipway-system', name },
  spec: { replicas: 2 },
  status,
});
const size = (status: object): NodeSize => ({
  apiVersion: 'balloons.slipway.dev/v1alpha1',
  kind: 'NodeSize',
  metadata: { name: 'n1', generation: 2 },
  spec: { fraction: '1/2' },
  status: { observedGeneration: 2, ...status },
});
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
const feature = (status: Partial<Feature['status']>): Feature => ({
  apiVersion: 'features.slipway.dev/v1alpha1',
  kind: 'Feature',
  metadata: { namespace: 'kube-system', name: 'imagevolume', generation: 1 },
  spec: { gate: 'ImageVolume', desired: 'On' },
  status: { observedGeneration: 1, state: 'On', ...status } as NonNullable<Feature['status']>,
});
const lease = (renewTime: string, holderIdentity: string | undefined = 'one'): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'slipway-system', name: 'slipway-balloon-controller' },
  spec: { leaseDurationSeconds: 15, renewTime, ...(holderIdentity && { holderIdentity }) },
});
const blocked = [
  {
    type: 'Blocked',
    status: 'True',
    reason: 'NeedsApproval',
    message: 'it waits for consent',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  },
] as const;
const refused = { type: 'Ready', status: 'False', reason: 'DoesNotFit', message: '1 cpu too much' };

const well: ClusterFacts = {
  version: { value: 'v1.37.2' },
  aheadMs: 0,
  definitions: { value: served },
  workloads: { value: [workload('Deployment', 'slipway-feature-server', { availableReplicas: 2 })] },
  features: { value: [feature({})] },
  servers: { value: { kind: 'alive' } },
  authorProblem: { value: undefined },
  sizes: { value: [size(ready)] },
  balloonLeases: { value: [lease('2026-01-01T00:59:55Z')] },
  nowMs,
};

test('a cluster on which all is well has no problem, and every part is named', () => {
  const findings = checkCluster(well);
  expect(findings.filter(({ result }) => result !== 'ok')).toEqual([]);
  expect(findings.map(({ check }) => check)).toEqual([
    'kubernetes',
    'clock',
    'kinds of features',
    'kinds of node-agent',
    'kinds of balloons',
    'Deployment slipway-system/slipway-feature-server',
    'feature server',
    'authors',
    'features',
    'balloon controller',
    'node sizes',
  ]);
});

const server = 'Deployment slipway-system/slipway-feature-server';
const away = { conditions: [{ type: 'Available', status: 'False', message: 'no minimum availability' }] };

// what is wrong | the fact | check, result, words of the message, words of the fix
test.each<[string, Partial<ClusterFacts>, string, string, RegExp, RegExp | undefined]>([
  ['a clock behind', { aheadMs: 61_000 }, 'clock', 'problem', /1m1s ahead of this machine/, /NTP/],
  ['a clock ahead', { aheadMs: -11_000 }, 'clock', 'problem', /11s behind/, /NTP/],
  [
    'nothing installed',
    { definitions: { value: [] } },
    'kinds of features',
    'note',
    /not installed/,
    /install --only features/,
  ],
  [
    'one kind gone',
    { definitions: { value: served.slice(1) } },
    'kinds of features',
    'problem',
    /^not served: /,
    /install/,
  ],
  [
    'a kind not served',
    { definitions: { value: [...featureCrds(), ...served.slice(4)] } },
    'kinds of features',
    'problem',
    /features\.features/,
    /install/,
  ],
  ['no process', { workloads: { value: [] } }, 'processes', 'note', /slipway run/, undefined],
  [
    'a process away',
    { workloads: { value: [workload('Deployment', 'slipway-feature-server', away)] } },
    server,
    'problem',
    /^0 of 2 available: no minimum/,
    /describe deployment slipway-feature-server/,
  ],
  [
    'no server',
    { servers: { value: { kind: 'absent' } } },
    'feature server',
    'problem',
    /no feature server runs/,
    /get pods/,
  ],
  [
    'no server and no feature',
    { servers: { value: { kind: 'absent' } }, features: { value: [] } },
    'feature server',
    'note',
    /no feature server runs/,
    /get pods/,
  ],
  [
    'no policy',
    { authorProblem: { value: 'the policy is missing; to install it: slipway install' } },
    'authors',
    'problem',
    /^the policy is missing$/,
    /^slipway install$/,
  ],
  [
    'a feature without reports',
    {
      features: {
        value: [feature({ conditions: [{ ...blocked[0], type: 'Progressing', reason: 'AwaitingEvidence' }] })],
      },
    },
    'feature imagevolume',
    'note',
    /waits for consent/,
    /./,
  ],
  [
    'a blocked feature',
    { features: { value: [feature({ conditions: blocked })] } },
    'feature imagevolume',
    'problem',
    /waits for consent/,
    /./,
  ],
  [
    'no balloon controller',
    { balloonLeases: { value: [] }, sizes: { value: [size({ observedGeneration: 1 })] } },
    'balloon controller',
    'problem',
    /none has run/,
    /install --only balloons/,
  ],
  [
    'a silent one',
    { balloonLeases: { value: [lease('2026-01-01T00:50:00Z')] } },
    'balloon controller',
    'problem',
    /none has run for 10m0s/,
    /get pods/,
  ],
  [
    'one that ended',
    { balloonLeases: { value: [lease('2026-01-01T00:59:59Z', '')] }, sizes: { value: [] } },
    'balloon controller',
    'note',
    /none has run/,
    /get pods/,
  ],
  [
    'a size that does not fit',
    { sizes: { value: [size({ conditions: [refused] })] } },
    'node n1',
    'problem',
    /1 cpu too much/,
    /node explain n1/,
  ],
  [
    'a resize at work',
    { sizes: { value: [size({ conditions: [refused], resize: {} })] } },
    'node n1',
    'note',
    /1 cpu too much/,
    /node explain n1/,
  ],
  [
    'features not to be read',
    { features: { problem: 'forbidden' } },
    'features',
    'unknown',
    /forbidden/,
    /administrator/,
  ],
])('%s', (_, fact, check, result, message, fix) => {
  const found = checkCluster({ ...well, ...fact }).find((finding) => finding.check === check);
  expect(found).toMatchObject({ check, result, message: expect.stringMatching(message) });
  if (fix) expect(found?.fix).toMatch(fix);
  else expect(found?.fix).toBeUndefined();
});
