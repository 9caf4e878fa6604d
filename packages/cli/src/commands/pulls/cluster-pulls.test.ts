import { Kube } from '@slipway/kube';
import { inMemoryApi } from '@slipway/kube/testing';
import { NodePullQueue, type NodePullQueueSpec } from '@slipway/node-agent/kinds';
import { expect, test } from 'vitest';
import { renderTable } from '../../output/table.js';
import { clusterHeadline, clusterPullColumns, clusterPulls, readNodeQueues } from './cluster-pulls.js';

const nowMs = Date.UTC(2026, 0, 1, 12);
const ago = (seconds: number) => new Date(nowMs - seconds * 1_000).toISOString();
const signal = new AbortController().signal;

function aQueue(node: string, spec: Partial<NodePullQueueSpec> = {}): NodePullQueue {
  const [limits, times] = [
    { limit: 2, limitSource: 'cluster' },
    { renewTime: ago(10), leaseDurationSeconds: 90 },
  ];
  const state = { paused: false, runtimeUp: true, running: [], runningCount: 0, waiting: [], waitingCount: 0 };
  return {
    apiVersion: 'pulls.slipway.dev/v1alpha1',
    kind: 'NodePullQueue',
    metadata: { name: node },
    spec: { ...limits, ...state, ...times, ...spec },
  };
}

const waiting = [{ image: 'r/b', pods: ['shop/b'], callers: 1, since: ago(5) }];
const running = [{ image: 'r/a', pods: ['shop/a'], callers: 2, since: ago(90), state: 'running' }];

test('pulls of all nodes are listed node by node, those that run first', async () => {
  const api = inMemoryApi();
  api.seed(
    NodePullQueue,
    aQueue('n2', { waiting, waitingCount: 1 }),
    aQueue('n1', {
      running: [{ ...running[0], bytes: 1_500_000, totalBytes: 3e9 } as never],
      runningCount: 1,
      waiting,
      waitingCount: 1,
    }),
  );
  const queues = await readNodeQueues(new Kube(api), undefined, nowMs, signal);
  expect(clusterHeadline(queues, nowMs)).toBe('1 running, 2 waiting on 2 nodes\n');
  expect(
    renderTable(clusterPulls(queues), clusterPullColumns(nowMs))
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([
    ['NODE', 'IMAGE', 'STATE', 'CALLERS', 'FOR', 'BYTES'],
    ['n1', 'r/a', 'running', '2', '1m30s', '1.5 MB of 3.0 GB'],
    ['n1', 'r/b', 'waiting, position 1', '1', '5.0s', '-'],
    ['n2', 'r/b', 'waiting, position 1', '1', '5.0s', '-'],
    [''],
  ]);
  expect((await readNodeQueues(new Kube(api), 'n2', nowMs, signal)).map(({ node }) => node)).toEqual(['n2']);
});

test('pulls of a node whose agent no longer reports are not shown, and it is named', async () => {
  const api = inMemoryApi();
  api.seed(NodePullQueue, aQueue('n1', { running, runningCount: 1, renewTime: ago(91) }), aQueue('n2'));
  const queues = await readNodeQueues(new Kube(api), undefined, nowMs, signal);
  expect(clusterPulls(queues)).toEqual([]);
  expect(queues.map(({ isCurrent }) => isCurrent)).toEqual([false, true]);
  expect(clusterHeadline(queues, nowMs)).toBe(
    '0 running, 0 waiting on 1 node\nn1 last reported 91s ago; its pulls are not known\n' +
      'To fix: see to the slipway-node-agent and the pull daemon of these nodes\n',
  );
});
