import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { PodSpec } from '@slipway/kube-objects/kinds/api/pods';
import { aDaemonSet, aNode, aTemplate } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { type Eligibility, eligibility } from './eligibility.js';

const tainted = (key: string, effect: 'NoSchedule' | 'NoExecute' | 'PreferNoSchedule') =>
  aNode('n1', { labels: { disk: 'ssd' }, spec: { taints: [{ key, effect }] } });
const plain = aNode('n1', { labels: { disk: 'ssd' } });
const requiring = (operator: 'In' | 'NotIn'): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator, values: ['n1'] }] }],
      },
    },
  },
});

// what | pod spec | node | what the node means
const cases: [string, Partial<PodSpec>, Node, Eligibility][] = [
  ['any node', {}, plain, 'runs'],
  ['a node that is selected', { nodeSelector: { disk: 'ssd' } }, plain, 'runs'],
  ['a node that is not selected', { nodeSelector: { disk: 'hdd' } }, plain, 'none'],
  ['a node by name', requiring('In'), plain, 'runs'],
  ['all but a node', requiring('NotIn'), plain, 'none'],
  ['the node of the template', { nodeName: 'n1' }, plain, 'runs'],
  ['not the node of the template', { nodeName: 'n2' }, plain, 'none'],
  ['a cordoned node', {}, tainted('node.kubernetes.io/unschedulable', 'NoSchedule'), 'runs'],
  ['a node that is away', {}, tainted('node.kubernetes.io/unreachable', 'NoExecute'), 'runs'],
  ['a tainted node', {}, tainted('dedicated', 'NoSchedule'), 'keeps'],
  ['a node that throws pods out', {}, tainted('dedicated', 'NoExecute'), 'none'],
  ['a node that would rather not', {}, tainted('dedicated', 'PreferNoSchedule'), 'runs'],
  ['a taint that is tolerated', { tolerations: [{ operator: 'Exists' }] }, tainted('dedicated', 'NoExecute'), 'runs'],
];

test.each(cases)('eligibility() of %s', (_what, spec, node, expected) => {
  const template = aTemplate();
  expect(eligibility(aDaemonSet({ template: { ...template, spec: { ...template.spec, ...spec } } }))(node)).toBe(
    expected,
  );
});
