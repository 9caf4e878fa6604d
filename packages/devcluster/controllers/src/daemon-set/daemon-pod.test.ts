import { matchesNode } from '@slipway/kube-objects/rules/node-affinity';
import { aDaemonSet, aNode, aPod, aTemplate } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { daemonPod, daemonTolerations, isUpdated, targetNode } from './daemon-pod.js';

test('daemonPod() makes a pod that only its node will do for, and that says what it was made from', () => {
  const set = aDaemonSet({}, { metadata: { annotations: { 'deprecated.daemonset.template.generation': '3' } } });
  const pod = daemonPod(set, 'n1', 'h1');
  expect([matchesNode(pod, aNode('n1')), matchesNode(pod, aNode('n2'))]).toEqual([true, false]);
  expect(targetNode(pod)).toBe('n1');
  expect([isUpdated(pod, 'h1'), isUpdated(pod, 'h2')]).toEqual([true, false]);
  expect(pod.metadata).toMatchObject({
    generateName: 'agent-',
    labels: { app: 'a', 'controller-revision-hash': 'h1', 'pod-template-generation': '3' },
    ownerReferences: [{ kind: 'DaemonSet', name: 'agent', controller: true }],
  });
});

test('daemonPod() keeps what the template prefers, and replaces what it requires', () => {
  const preferred = [{ weight: 1, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' as const }] } }];
  const nodeSelectorTerms = [{ matchExpressions: [{ key: 'zone', operator: 'In' as const, values: ['a'] }] }];
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  };
  const template = aTemplate();
  const set = aDaemonSet({ template: { ...template, spec: { ...template.spec, affinity: { nodeAffinity } } } });
  expect(daemonPod(set, 'n1', 'h').spec.affinity?.nodeAffinity).toEqual({
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
    },
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  });
});

test('targetNode() of a pod that runs is where it runs, and of another pod nothing', () => {
  expect(targetNode(aPod('p', { spec: { nodeName: 'n2' } }))).toBe('n2');
  expect(targetNode(aPod('p'))).toBeUndefined();
});

test('daemonTolerations() adds the standard ones without a limit, and one about the network for the network of the host', () => {
  const own = { key: 'dedicated', operator: 'Exists' as const };
  const brief = { ...own, key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' as const, tolerationSeconds: 5 };
  const told = (hostNetwork: boolean) =>
    daemonTolerations({ containers: [], hostNetwork, tolerations: [own, brief] }).map(
      ({ key, effect = '' }) => `${key?.replace('node.kubernetes.io/', '')} ${effect}`,
    );
  expect(told(false)).toEqual([
    'dedicated ',
    'not-ready NoExecute',
    'unreachable NoExecute',
    'disk-pressure NoSchedule',
    'memory-pressure NoSchedule',
    'pid-pressure NoSchedule',
    'unschedulable NoSchedule',
  ]);
  expect(told(true)).toContain('network-unavailable NoSchedule');
  expect(daemonTolerations({ containers: [], tolerations: [brief] })[0]).not.toHaveProperty('tolerationSeconds');
});
