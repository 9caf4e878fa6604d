import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { parseAmounts } from '../planner/amounts.js';
import { readBalloonPod } from './balloon-pod.js';

function aPod(status: object): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'kube-system', name: 'b', uid: 'p1', resourceVersion: '7', generation: 2 },
    spec: {
      containers: [
        { name: 'mesh', resources: { requests: { cpu: '9' } } },
        { name: 'slipway-balloon', resources: { requests: { cpu: '4', memory: '4Gi' } } },
      ],
    },
    status: { phase: 'Running', ...status },
  };
}

const half = { cpu: '2', memory: '2Gi' };

test('reads the amounts of the balloon, not those of a sidecar injected beside it', () => {
  const pod = readBalloonPod(
    aPod({
      containerStatuses: [{ name: 'slipway-balloon', allocatedResources: half, resources: { requests: { cpu: '1' } } }],
    }),
  );
  expect(pod).toMatchObject({
    running: true,
    desired: parseAmounts({ cpu: '4', memory: '4Gi' }),
    allocated: parseAmounts(half),
    actual: parseAmounts({ cpu: '1' }),
  });
});

test('where allocations are not reported, what the container runs with counts', () => {
  const pod = readBalloonPod(aPod({ containerStatuses: [{ name: 'slipway-balloon', resources: { requests: half } }] }));
  expect(pod.allocated).toEqual(parseAmounts(half));
});

test('before it runs, what it asks for counts', () => {
  expect(readBalloonPod(aPod({ phase: 'Pending' })).allocated).toEqual(parseAmounts({ cpu: '4', memory: '4Gi' }));
});

test('reads why the kubelet waits, and that it fails', () => {
  const conditions = [
    { type: 'PodResizePending', status: 'True', reason: 'Deferred', message: 'no room', observedGeneration: 2 },
    { type: 'PodResizeInProgress', status: 'True', reason: 'Error', message: 'cgroup busy' },
  ];
  expect(readBalloonPod(aPod({ conditions }))).toMatchObject({
    pending: { reason: 'Deferred', message: 'no room', observedGeneration: 2 },
    failing: 'cgroup busy',
    inProgress: true,
  });
});
