import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { pods } from './pod.js';
import { summarizePod } from './pod-columns.js';
import { now, row } from './testing/write.js';

const running = (ready = true) => ({ ready, restartCount: 0, state: { running: {} } });
const waiting = (reason: string, restartCount = 0) => ({ ready: false, restartCount, state: { waiting: { reason } } });
const ended = (exitCode: number, reason = '') => ({
  ready: false,
  restartCount: 0,
  state: { terminated: { exitCode, reason } },
});

interface Shape {
  readonly init?: readonly object[];
  readonly sidecars?: readonly string[];
  readonly main?: readonly object[];
  readonly containers?: number;
  readonly status?: object;
  readonly deleted?: boolean;
}

function podOf({
  init = [],
  main = [],
  sidecars = [],
  containers = 1,
  status = {},
  deleted = false,
}: Shape): KubeObject {
  const named = (list: readonly object[], prefix: string) =>
    list.map((one, index) => ({ name: `${prefix}${index}`, ...one }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ...(deleted && { deletionTimestamp: '2026-11-20T12:00:00Z' }) },
    spec: {
      containers: Array.from({ length: containers }, (_, index) => ({ name: `c${index}` })),
      initContainers: init.map((_, index) => ({
        name: `i${index}`,
        ...(sidecars.includes(`i${index}`) && { restartPolicy: 'Always' }),
      })),
    },
    status: {
      phase: 'Pending',
      initContainerStatuses: named(init, 'i'),
      containerStatuses: named(main, 'c'),
      ...status,
    },
  };
}

const cases: [string, Shape, string, string][] = [
  ['not scheduled', {}, '0/1', 'Pending'],
  ['being made', { main: [waiting('ContainerCreating')] }, '0/1', 'ContainerCreating'],
  ['running', { main: [running()], status: { phase: 'Running' } }, '1/1', 'Running'],
  ['running, not ready', { main: [running(false)], status: { phase: 'Running' } }, '0/1', 'Running'],
  ['crashing', { main: [waiting('CrashLoopBackOff', 3)], status: { phase: 'Running' } }, '0/1', 'CrashLoopBackOff'],
  ['no image', { main: [waiting('ImagePullBackOff')] }, '0/1', 'ImagePullBackOff'],
  ['first of two waits', { main: [waiting('ErrImagePull'), running()], containers: 2 }, '1/2', 'ErrImagePull'],
  ['done', { main: [ended(0, 'Completed')], status: { phase: 'Succeeded' } }, '0/1', 'Completed'],
  ['failed', { main: [ended(1, 'Error')], status: { phase: 'Failed' } }, '0/1', 'Error'],
  ['ended without a reason', { main: [ended(137)], status: { phase: 'Failed' } }, '0/1', 'ExitCode:137'],
  ['evicted', { status: { phase: 'Failed', reason: 'Evicted' } }, '0/1', 'Evicted'],
  [
    'evicted once it ran',
    { main: [ended(0, 'Completed')], status: { phase: 'Failed', reason: 'Evicted' } },
    '0/1',
    'Evicted',
  ],
  [
    'rejected by its node once it ran',
    { main: [ended(137, 'Error')], status: { phase: 'Failed', reason: 'OutOfcpu' } },
    '0/1',
    'OutOfcpu',
  ],
  [
    'preempted while init containers ran',
    { init: [ended(0, 'Completed'), running()], status: { phase: 'Failed', reason: 'Preempting' } },
    '0/1',
    'Preempting',
  ],
  [
    'evicted, and being deleted',
    { main: [ended(0, 'Completed')], deleted: true, status: { phase: 'Failed', reason: 'Evicted' } },
    '0/1',
    'Evicted',
  ],
  ['being evicted', { main: [running()], status: { phase: 'Running', reason: 'Evicted' } }, '1/1', 'Evicted'],
  ['first init container', { init: [waiting('PodInitializing'), waiting('PodInitializing')] }, '0/1', 'Init:0/2'],
  ['second init container', { init: [ended(0), running()] }, '0/1', 'Init:1/2'],
  ['init container fails', { init: [ended(1, 'Error')] }, '0/1', 'Init:Error'],
  ['init container crashes', { init: [waiting('CrashLoopBackOff')] }, '0/1', 'Init:CrashLoopBackOff'],
  ['init containers through', { init: [ended(0)], main: [running()], status: { phase: 'Running' } }, '1/1', 'Running'],
  [
    'with a sidecar',
    { init: [{ ...running(), started: true }], sidecars: ['i0'], main: [running()], status: { phase: 'Running' } },
    '2/2',
    'Running',
  ],
  ['sidecar starting', { init: [running()], sidecars: ['i0'] }, '0/2', 'Init:0/1'],
  [
    'one done, one running and ready',
    {
      main: [ended(0, 'Completed'), running()],
      containers: 2,
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    },
    '1/2',
    'Running',
  ],
  ['one done, one running', { main: [ended(0, 'Completed'), running()], containers: 2 }, '1/2', 'NotReady'],
  [
    'held by a gate',
    { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] } },
    '0/1',
    'SchedulingGated',
  ],
  ['going', { main: [running()], deleted: true, status: { phase: 'Running' } }, '1/1', 'Terminating'],
  [
    'gone but kept',
    { main: [ended(0, 'Completed')], deleted: true, status: { phase: 'Succeeded' } },
    '0/1',
    'Completed',
  ],
  ['on a lost node', { main: [running()], deleted: true, status: { reason: 'NodeLost' } }, '1/1', 'Unknown'],
];

test.each(cases)('summarizePod() of a pod that is %s', (_what, shape, ready, status) => {
  expect(summarizePod(podOf(shape), now)).toMatchObject({ ready, status });
});

test('summarizePod() says when a container restarted last', () => {
  const crashed = (restartCount: number, finishedAt: string) => ({
    ...waiting('CrashLoopBackOff', restartCount),
    lastState: { terminated: { exitCode: 1, finishedAt } },
  });
  const main = [crashed(3, '2026-11-20T11:50:00Z'), crashed(2, '2026-11-20T11:55:00Z')];
  expect(summarizePod(podOf({ main, containers: 2 }), now).restarts).toBe('5 (5m ago)');
  expect(summarizePod(podOf({ main: [running()] }), now).restarts).toBe('0');
});

test('pods show everything that kubectl get pods -o wide does', () => {
  const pod = podOf({ main: [running()], status: { phase: 'Running', podIP: '10.244.0.7' } });
  pod.metadata.creationTimestamp = '2026-11-20T11:57:55Z';
  pod.spec.nodeName = 'node-1';
  expect(row(pods, pod)).toEqual({
    READY: '1/1',
    STATUS: 'Running',
    RESTARTS: '0',
    AGE: '2m5s',
    IP: '10.244.0.7',
    NODE: 'node-1',
    'NOMINATED NODE': '<none>',
    'READINESS GATES': '<none>',
  });
});
