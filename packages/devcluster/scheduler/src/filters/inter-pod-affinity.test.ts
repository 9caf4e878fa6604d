import type { Affinity, Pod, PodAffinityTerm } from '@slipway/kube-objects/kinds/api/pods';
import { aNode, aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { asking, aView, outcome } from '../testing/a-view.js';

const zone = 'topology.kubernetes.io/zone';
const nodes = ['a', 'a', 'b'].map((value, index) => aNode(`n${index + 1}`, { labels: { [zone]: value } }));
const unlabelled = aNode('bare');
const app = (value: string): PodAffinityTerm => ({ topologyKey: zone, labelSelector: { matchLabels: { app: value } } });
const near = (...terms: PodAffinityTerm[]): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const far = (...terms: PodAffinityTerm[]): Affinity => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const preferring = (weight: number, podAffinityTerm: PodAffinityTerm): Affinity => ({
  podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] },
});
const on = (nodeName: string, labels: Record<string, string>, affinity?: Affinity, namespace = 'default'): Pod =>
  aPod('other', { metadata: { labels, namespace }, spec: { nodeName, ...(affinity && { affinity }) } });
const labelled = (labels: Record<string, string>, affinity?: Affinity): Pod => {
  const pod = asking({}, affinity && { affinity });
  return { ...pod, metadata: { ...pod.metadata, labels } };
};

const notNear = (nodeCount: number) =>
  `0/${nodeCount} nodes are available: ${nodeCount} node(s) didn't match pod affinity rules.`;
const db = { app: 'db' };
const web = { app: 'web' };

// what | pod | pods there are | where it goes
const cases: [string, Pod, readonly Pod[], string][] = [
  ['wants to be near a pod', labelled(web, near(app('db'))), [on('n3', db)], 'n3'],
  ['wants to be near a pod that there is not', labelled(web, near(app('db'))), [], notNear(3)],
  ['wants to be near its own kind and is the first', labelled(web, near(app('web'))), [], 'n1'],
  [
    'wants to be near two, and no pod is both',
    labelled(web, near(app('db'), app('x'))),
    [on('n1', db), on('n1', { app: 'x' })],
    notNear(3),
  ],
  [
    'wants to be near a pod of another namespace',
    labelled(web, near(app('db'))),
    [on('n3', db, undefined, 'b')],
    notNear(3),
  ],
  [
    'names that namespace',
    labelled(web, near({ ...app('db'), namespaces: ['b'] })),
    [on('n3', db, undefined, 'b')],
    'n3',
  ],
  [
    'selects that namespace',
    labelled(web, near({ ...app('db'), namespaceSelector: { matchLabels: { team: 'b' } } })),
    [on('n3', db, undefined, 'b')],
    'n3',
  ],
  [
    'selects all namespaces',
    labelled(web, near({ ...app('db'), namespaceSelector: {} })),
    [on('n3', db, undefined, 'b')],
    'n3',
  ],
  ['selects no pods', labelled(web, near({ topologyKey: zone })), [on('n3', db)], notNear(3)],
  ['must be far from a pod', labelled(web, far(app('db'))), [on('n1', db)], 'n3'],
  [
    'must be far from pods everywhere',
    labelled(web, far(app('db'))),
    [on('n1', db), on('n3', db)],
    "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.",
  ],
  [
    'is one that others must be far from',
    labelled(web),
    [on('n1', db, far(app('web'))), on('n3', db, far(app('web')))],
    "0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules.",
  ],
  [
    'shares a label value with one',
    labelled({ ...web, v: '2' }, near({ ...app('web'), matchLabelKeys: ['v'] })),
    [on('n1', { ...web, v: '1' }), on('n3', { ...web, v: '2' })],
    'n3',
  ],
  [
    'must not share a label value',
    labelled({ ...web, v: '1' }, near({ ...app('web'), mismatchLabelKeys: ['v'] })),
    [on('n1', { ...web, v: '1' }), on('n3', { ...web, v: '2' })],
    'n3',
  ],
  ['would rather be near a pod', labelled(web, preferring(50, app('db'))), [on('n3', db)], 'n3'],
  ['is one that others would rather be near', labelled(web), [on('n3', db, preferring(50, app('web')))], 'n3'],
  ['is one that others must be near', labelled(web), [on('n3', web, near(app('web')))], 'n3'],
];

test.each(cases)('a pod that %s', (_what, pod, pods, expected) => {
  const namespaceLabels = (name: string) => (name === 'b' ? { team: 'b' } : undefined);
  expect(outcome(pod, aView(nodes, pods, { namespaceLabels }))).toBe(expected);
});

test('a pod that wants to be near its own kind goes to no node without the label, even as the first', () => {
  expect(outcome(labelled(web, near(app('web'))), aView([unlabelled]))).toBe(notNear(1));
});
