import { describe, expect, test } from 'vitest';
import type { NodeSizeSpec, NodeSizeStatus } from '../api/node-size.js';
import { parseAmounts } from '../planner/amounts.js';
import { aBalloon } from '../testing/a-balloon.js';
import { aNode, anObservation, aPolicy, aSize } from '../testing/an-observation.js';
import { type Action, decideAction, isForeign } from './decide-action.js';
import type { Observation } from './observation.js';
import { observedStatus } from './size-status.js';

const hidden = parseAmounts({ cpu: '12', memory: '48Gi' });
const smallest = parseAmounts({ cpu: '0', memory: '8Mi' });
const running = aBalloon({ desired: smallest, allocated: smallest });
const quarter: NodeSizeSpec = { mode: 'Size', size: { cpu: '4', memory: '16Gi' } };
const answeredStatus: NodeSizeStatus = { observedGeneration: 1 };

function observation(change: Partial<Observation> = {}): Observation {
  return anObservation({ size: aSize(quarter), pod: running, ...change });
}

/** An action in one word or two. */
function inShort(action: Action): string {
  if (action.kind === 'report') return action.degradation?.reason ?? action.notReady?.reason ?? 'AtSize';
  if (action.kind === 'conclude') return `conclude ${action.ending.result}`;
  if (action.kind === 'resize') return `${action.plan.direction}${action.fenced ? ' fenced' : ''}`;
  return action.kind;
}

const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const busy = parseAmounts({ cpu: '5', memory: '1Gi' });
const reached = { id: '1-bcdf', result: 'Succeeded' } as const;
const away = { result: 'Rejected', reason: 'OutOfBounds' } as const;

describe('what is done about a node', () => {
  test.each<[string, Partial<Observation>, string]>([
    ['its size is another one', {}, 'Down'],
    ['no balloon runs there', { pod: undefined }, 'BalloonMissing'],
    ['its balloon is going', { pod: { ...running, deleting: true } }, 'BalloonMissing'],
    [
      'it was preempted',
      { pod: { ...running, deleting: true, disruption: 'PreemptionByScheduler' } },
      'BalloonPreempted',
    ],
    ['it was evicted', { pod: { ...running, deleting: true, disruption: 'EvictionByEvictionAPI' } }, 'BalloonEvicted'],
    [
      'its balloon waits for a size',
      { pod: { ...running, running: false, bound: false, gated: true } },
      'size-new-pod',
    ],
    ['a scheduler has its balloon', { pod: { ...running, running: false, bound: false } }, 'BalloonMissing'],
    ['it has its size, and its size was not reported', { size: aSize({ mode: 'Full' }) }, 'conclude NoChange'],
    ['it has its size, and that was told', { size: aSize({ mode: 'Full' }, answeredStatus) }, 'AtSize'],
    ['it is paused', { size: aSize({ ...quarter, paused: true }) }, 'Paused'],
    [
      'it is paused, and its policy is off',
      {
        size: aSize({ ...quarter, paused: true }),
        policy: aPolicy({ enabled: false }),
        pod: aBalloon({ desired: hidden, allocated: hidden }),
      },
      'Up',
    ],
    ['pods use what is asked for', { requested: busy }, 'conclude DoesNotFit'],
    ['they still do', { requested: busy, size: aSize(quarter, answeredStatus) }, 'Waiting'],
    [
      'pods use some of it, and as far as it fits is enough',
      { requested: busy, size: aSize({ ...quarter, fit: 'BestEffort' }) },
      'Down fenced',
    ],
    [
      'it gained hardware, of which pods took some, after it had come to its size',
      { requested: busy, size: aSize(quarter, { ...answeredStatus, history: [reached as never] }) },
      'Down fenced',
    ],
    [
      'the same, and the size that it had come to was another one',
      {
        requested: busy,
        size: aSize(quarter, { ...answeredStatus, history: [{ ...reached, id: '0-bcdf' } as never] }),
      },
      'Waiting',
    ],
    ['little room would stay', { size: aSize({ mode: 'Size', size: { cpu: '1' } }) }, 'Down fenced'],
    ['a fence is wanted', { size: aSize({ ...quarter, fence: 'Always' }) }, 'Down fenced'],
    ['no fence is wanted', { size: aSize({ mode: 'Size', size: { cpu: '1' }, fence: 'Never' }) }, 'Down'],
    ['a machine follows', { actuator: 'known' }, 'Down fenced'],
    ['the machine is not known here', { actuator: 'missing' }, 'ActuatorUnknown'],
    ['it failed a moment ago', { heldMs: 5_000 }, 'Waiting'],
    ['it is cordoned', { node: aNode({ unschedulable: true }) }, 'Waiting'],
    ['it is not ready', { node: aNode({ ready: 'Unknown' }) }, 'Waiting'],
    ['its kubelet cannot resize', { node: aNode({ kubelet: 'v1.32.1' }) }, 'KubeletTooOld'],
    ['a pod there waits to grow', { awaited: true }, 'conclude DoesNotFit'],
    [
      'it is at rest, and two policies claim it',
      { size: aSize({ mode: 'Full' }, answeredStatus), rival: 'other' },
      'PolicyConflict',
    ],
    [
      'its balloon could evict',
      {
        pod: {
          ...running,
          priority: { className: 'system-node-critical', value: 2_000_001_000, preemptionPolicy: undefined },
        },
      },
      'PriorityUnsafe',
    ],
    ['another client resized its balloon', { pod: { ...running, desired: hidden } }, 'roll-back'],
    [
      'the same in mode External, and it is not judged yet',
      { size: aSize({ mode: 'External' }), pod: { ...running, desired: hidden } },
      'AtSize',
    ],
    [
      'in mode External what was asked for has to wait',
      {
        size: aSize({ mode: 'External' }),
        pod: { ...running, desired: hidden, pending: { reason: 'Deferred', message: '', observedGeneration: 1 } },
      },
      'roll-back',
    ],
    ['the kubelet still has more than it should', { pod: { ...running, allocated: hidden } }, 'Waiting'],
    ['a size larger than the node', { size: aSize({ mode: 'Size', size: { cpu: '40' } }) }, 'conclude Rejected'],
    [
      'the same later',
      { size: aSize({ mode: 'Size', size: { cpu: '40' } }, { ...answeredStatus, lastResize: away as never }) },
      'Waiting',
    ],
    [
      'the node lost what its size was made of',
      { size: aSize({ mode: 'Size', size: { cpu: '40' } }, answeredStatus) },
      'AtSize',
    ],
    [
      'pods ask for more than it has any more',
      { size: aSize({ mode: 'Full' }, answeredStatus), requested: parseAmounts({ cpu: '20' }) },
      'CapacityShrunk',
    ],
    [
      'it is to go and still hides something',
      { size: aSize(quarter, {}, deleted), pod: aBalloon({ desired: hidden, allocated: hidden }) },
      'Up',
    ],
    ['it is to go and hides nothing', { size: aSize(quarter, {}, deleted) }, 'remove-finalizer'],
    [
      'its machine did not follow',
      {
        actuator: 'known',
        size: aSize({ mode: 'Full' }, { ...answeredStatus, actuator: { name: 'lab', phase: 'Error' } }),
      },
      'sync-hardware',
    ],
  ])('%s', (_what, change, action) => {
    expect(inShort(decideAction(observation(change)))).toBe(action);
  });

  test('a cordoned node may grow', () => {
    const pod = aBalloon({ desired: hidden, allocated: hidden });
    const action = decideAction(
      observation({ size: aSize({ mode: 'Full' }), node: aNode({ unschedulable: true }), pod }),
    );
    expect(inShort(action)).toBe('Up');
  });
});

describe('a new balloon pod', () => {
  const gated = { ...running, running: false, bound: false, gated: true };

  test('is as large as its node needs', () => {
    expect(decideAction(observation({ pod: gated }))).toMatchObject({ to: hidden, hidesMuch: true });
  });

  test('is as large as fits', () => {
    expect(decideAction(observation({ pod: gated, requested: busy }))).toMatchObject({ to: { cpu: 11_000n } });
  });

  test('is small where new pods of its class preempt, behind a taint all the same', () => {
    const priority = { className: 'system-node-critical', value: 2_000_001_000, preemptionPolicy: undefined };
    expect(decideAction(observation({ pod: { ...gated, priority } }))).toMatchObject({ to: smallest, hidesMuch: true });
  });

  test('for which there is no room is made smaller', () => {
    const stuck = { ...gated, gated: false, unschedulable: true, desired: hidden };
    expect(decideAction(observation({ pod: stuck, requested: busy }))).toMatchObject({
      kind: 'size-new-pod',
      to: { cpu: 11_000n },
    });
  });
});

test('a balloon whose requests differ from the recorded ones was resized by another client', () => {
  const status = {
    podRef: { namespace: 'kube-system', name: 'b', uid: 'p1' },
    balloon: { desired: { cpu: '0', memory: '8Mi' } },
  };
  expect(isForeign(aSize(quarter, status), running)).toBe(false);
  expect(isForeign(aSize(quarter, status), { ...running, desired: hidden })).toBe(true);
  expect(isForeign(aSize(quarter, status), { ...running, uid: 'p2', desired: hidden })).toBe(false);
});

const balloonName = `${running.namespace}/${running.name}`;
test.each<[string, Observation['pod'], string, string]>([
  ['is missing', undefined, 'no balloon pod runs on the node, so nothing of the node is hidden', 'False Missing'],
  [
    'has no node',
    { ...running, running: false, bound: false },
    `balloon pod ${balloonName} does not run, so nothing of the node is hidden`,
    'False Missing',
  ],
  ['starts', { ...running, running: false }, `balloon pod ${balloonName} does not run`, 'False NotRunning'],
  ['is being deleted', { ...running, deleting: true }, `balloon pod ${balloonName} is being deleted`, 'True Running'],
])('a balloon that %s is reported alike in Ready and BalloonPresent', (_, pod, message, present) => {
  const seen = observation({ pod });
  expect(decideAction(seen)).toMatchObject({ kind: 'report', notReady: { message }, degradation: { message } });
  const { conditions } = observedStatus(seen, 0);
  expect(conditions?.map(({ type, status, reason }) => [type, `${status} ${reason}`])).toEqual([
    ['BalloonPresent', present],
  ]);
});
