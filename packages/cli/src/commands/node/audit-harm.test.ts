import {
  type BalloonPod,
  type FinishedResize,
  nodeNumbers,
  nothing,
  type ObservedNode,
  parseAmounts,
  readNode,
} from '@slipway/balloons';
import type { CoreEvent, KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { balloonInUse, type HarmEvidence, harmedPods } from './audit-harm.js';

const nowMs = Date.parse('2026-11-22T00:10:00Z');
const at = (seconds: number) => new Date(nowMs - 300_000 + seconds * 1000).toISOString();
const lowOnMemory = 'The node was low on resource: memory. Threshold quantity: 0, available: -1Gi. ';
const none: HarmEvidence = { events: [], usage: undefined };

/** A balloon grew on n1 from second 0 to second 2, unless said otherwise. */
function aNode(change: Partial<FinishedResize> = {}, pods: readonly KubeObject[] = []): ObservedNode {
  const resize: FinishedResize = {
    id: 'r',
    direction: 'Down',
    from: {},
    to: {},
    result: 'Succeeded',
    reason: '',
    message: '',
    finishedAt: at(2),
    durationMs: 2_000,
    ...change,
  };
  const node = readNode({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
  const balloon = { name: 'balloon', uid: 'b1', allocated: nothing, bound: true, running: true } as BalloonPod;
  return {
    node,
    balloon,
    pods,
    policy: undefined,
    size: {
      apiVersion: 'balloons.slipway.dev/v1alpha1',
      kind: 'NodeSize',
      metadata: { name: 'n1' },
      spec: {},
      status: { history: [resize], lastResize: resize },
    },
    numbers: nodeNumbers(node, balloon, nothing),
  };
}

function failed(reason: string, seconds: number, message = ''): KubeObject {
  const metadata = { namespace: 'team', name: 'web', uid: 'w1' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    status: { phase: 'Failed', reason, message, startTime: at(seconds) },
  };
}

function event(reason: string, seconds: number, message = '', host: string | undefined = 'n1'): CoreEvent {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {},
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'team', name: 'web', uid: 'w1' },
    reason,
    message,
    type: 'Normal',
    count: 1,
    firstTimestamp: at(seconds),
    lastTimestamp: at(seconds),
    source: { component: 'x', ...(host !== undefined && { host }) },
  };
}

const preempted = (by: string, node = 'n1') => `Preempted by pod ${by} on node ${node}`;
const grew = 'team/web lost its place when the balloon grew';

test.each<[string, KubeObject, string | undefined]>([
  ['rejected while the balloon grew', failed('OutOfcpu', 1), `${grew} (OutOfcpu)`],
  ['rejected after it', failed('OutOfmemory', 30), `${grew} (OutOfmemory)`],
  ['rejected long after it', failed('OutOfmemory', 60), undefined],
  ['rejected before it', failed('OutOfcpu', -30), undefined],
  ['preempted by the kubelet', failed('Preempting', 1), `${grew} (Preempting)`],
  ['evicted for want of memory', failed('Evicted', 3, lowOnMemory), `${grew} (Evicted)`],
  ['evicted for want of disk', failed('Evicted', 3, 'The node was low on resource: ephemeral-storage. '), undefined],
  ['that failed by itself', failed('DeadlineExceeded', 1), undefined],
])('harmedPods() of a pod %s', (_, pod, problem) => {
  expect(harmedPods(aNode({}, [pod]), none, nowMs)).toBe(problem);
});

test.each<[string, CoreEvent, string | undefined]>([
  ['evicted', event('Evicted', 3, lowOnMemory), `${grew} (Evicted)`],
  ['evicted on another node', event('Evicted', 3, lowOnMemory, 'n2'), undefined],
  ['preempted by the scheduler as it grew', event('Preempted', 3, preempted('p9')), `${grew} (Preempted)`],
  ['preempted on another node', event('Preempted', 3, preempted('p9', 'n2')), undefined],
  [
    'preempted by the balloon, whenever',
    event('Preempted', 200, preempted('b1')),
    'team/web lost its place to the balloon (Preempted)',
  ],
  ['preempted by another pod, later', event('Preempted', 200, preempted('p9')), undefined],
])('harmedPods() of a pod that is gone, by its event: %s', (_, seen, problem) => {
  expect(harmedPods(aNode(), { ...none, events: [seen] }, nowMs)).toBe(problem);
});

test.each<[Partial<FinishedResize>, boolean]>([
  [{}, true],
  [{ direction: 'Mixed' }, true],
  [{ direction: 'Up' }, false],
  [{ result: 'RolledBack' }, true],
  [{ result: 'DoesNotFit' }, false],
])('harmedPods() after a resize %j', (resize, isHarm) => {
  expect(harmedPods(aNode(resize, [failed('OutOfcpu', 1)]), none, nowMs) !== undefined).toBe(isHarm);
});

test('harmedPods() names a pod once, and what an evicted pod lost to a balloon that uses memory', () => {
  const seen = [event('Evicted', 200, lowOnMemory)];
  const usage = new Map([['balloon', parseAmounts({ cpu: '0', memory: '6Gi' })]]);
  const observed = aNode({}, [failed('Evicted', 200, lowOnMemory)]);
  expect(harmedPods(observed, { events: seen, usage }, nowMs)).toBe(
    'team/web was evicted from a node whose balloon uses 0 cpu and 6Gi memory (Evicted)',
  );
  expect(harmedPods(observed, { events: seen, usage: undefined }, nowMs)).toBeUndefined();
});

test.each([
  [{ cpu: '0', memory: '0' }, undefined],
  [{ cpu: '1m', memory: '700Ki' }, undefined],
  [{ cpu: '3', memory: '0' }, 'pod balloon uses 3 cpu and 0 memory'],
  [{ cpu: '0', memory: '6Gi' }, 'pod balloon uses 0 cpu and 6Gi memory'],
])('balloonInUse() of %j', (used, problem) => {
  expect(balloonInUse(aNode(), { ...none, usage: new Map([['balloon', parseAmounts(used)]]) })).toBe(problem);
});

test('balloonInUse() is unknown where no metrics API reports the balloon', () => {
  expect(balloonInUse(aNode(), none)).toBe('unknown');
  expect(balloonInUse(aNode(), { ...none, usage: new Map() })).toBe('unknown');
  expect(balloonInUse({ ...aNode(), balloon: undefined }, none)).toBeUndefined();
});
