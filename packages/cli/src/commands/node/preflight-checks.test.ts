import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { type Preflight, preflightFindings } from './preflight-checks.js';

const anObject = (kind: string, name: string, more: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'kube-system', ...metadata },
  ...more,
});
const aNode = (nodeInfo: object) => anObject('Node', 'n1', { status: { nodeInfo } });
const good: Preflight = {
  canResize: true,
  quotas: [anObject('ResourceQuota', 'pods', { spec: { hard: { pods: 9 } } })],
  limitRanges: [],
  namespace: anObject('Namespace', 'kube-system'),
  verticalAutoscalers: [anObject('VerticalPodAutoscaler', 'web', { spec: { targetRef: { kind: 'Deployment' } } })],
  nodes: [aNode({ kubeletVersion: 'v1.34.1' })],
};
const steering = { spec: { targetRef: { kind: 'DaemonSet', name: 'slipway-balloon-all' } } };
const secure = { labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } };

test.each<[string, Partial<Preflight>, string | undefined]>([
  ['nothing in the way', {}, undefined],
  ['an API server without the subresource', { canResize: false }, 'take an API server of 1.33'],
  [
    'a quota that counts cpu',
    { quotas: [anObject('ResourceQuota', 'tight', { spec: { hard: { 'requests.cpu': '1' } } })] },
    'ResourceQuota kube-system/tight counts what balloons hide',
  ],
  ['a limit range', { limitRanges: [anObject('LimitRange', 'low')] }, 'LimitRange kube-system/low may refuse'],
  ['Pod Security', { namespace: anObject('Namespace', 'kube-system', {}, secure) }, 'enforces Pod Security baseline'],
  [
    'another controller that resizes',
    { verticalAutoscalers: [anObject('VerticalPodAutoscaler', 'v', steering)] },
    'delete VerticalPodAutoscaler kube-system/v',
  ],
  ['an old kubelet', { nodes: [aNode({ kubeletVersion: 'v1.32.3' })] }, 'upgrade the kubelet of n1: it is v1.32.3'],
  ['swap', { nodes: [aNode({ kubeletVersion: 'v1.34.0', swap: { capacity: 1024 } })] }, 'n1 swaps'],
])('preflightFindings() with %s', (_what, change, problem) => {
  const wrong = preflightFindings({ ...good, ...change }).filter(({ answer }) => answer !== 'yes');
  expect(wrong.map(({ message }) => message).join()).toContain(problem ?? '');
  expect(wrong).toHaveLength(problem === undefined ? 0 : 1);
});
