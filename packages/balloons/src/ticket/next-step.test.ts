import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Amounts, parseAmounts, resources, sameAmounts, within } from '../planner/amounts.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import { aBalloon } from '../testing/a-balloon.js';
import { inherited, planned, takingBack } from './begin-work.js';
import { type NextStep, nextStep, type StepFacts, type StepTimes, stepAfterReading } from './next-step.js';
import { type ResizeWork, settlesSpec } from './resize-work.js';

const small = parseAmounts({ cpu: '1', memory: '1Gi' });
const large = parseAmounts({ cpu: '4', memory: '4Gi' });
const wide = parseAmounts({ cpu: '4', memory: '1Gi' });
const beginning = { id: '2-abcd', generation: 2, nowMs: 0, withinMs: 30_000 };
const times: StepTimes = { settleMs: 500, observeMs: 10_000, rollbackMs: 10_000, actuated: false };
const unfenced = { fenced: false, actuated: false };

function plan(from: Amounts, to: Amounts, patches: readonly Amounts[] = [to]) {
  const direction = within(to, from) ? 'Up' : within(from, to) ? 'Down' : 'Mixed';
  return { kind: 'resize', direction, from, to, patches, partial: false, outside: [] } as const;
}

function observing(work: ResizeWork, patch = 0): ResizeWork {
  const asked = { podUID: 'p1', to: work.patches[patch] ?? work.to, podGeneration: 4 };
  return { ...work, phase: { kind: 'observing', patch, asked, sinceMs: 0 } };
}

const down = planned(plan(small, large), aBalloon(), unfenced, beginning);
const up = planned(plan(large, small), aBalloon(), unfenced, beginning);
const asking = aBalloon({ generation: 4, desired: large, allocated: small });
const deferred = { reason: 'Deferred', message: 'no room', observedGeneration: 4 } as const;

function facts(pod: BalloonPod | undefined, more: Partial<StepFacts> = {}): StepFacts {
  return { pod, nodeExists: true, generation: 2, nowMs: 100, ...more };
}

/** How a step reads in one word or two. */
function inShort(step: NextStep): string {
  if (step.kind === 'close') return step.ending.result;
  if (step.kind === 'read-pod' || step.kind === 'check') return `${step.kind} while ${step.work.phase.kind}`;
  return step.kind;
}

describe('a resize begins', () => {
  test.each([
    ['where nothing keeps it: by checking the plan', unfenced, 'checking'],
    ['behind a fence: when that has settled', { fenced: true, actuated: false }, 'settling'],
    ['of a balloon that takes, with a machine behind it: as without', { fenced: false, actuated: true }, 'checking'],
  ])('%s', (_how, how, phase) => {
    expect(planned(plan(small, large), aBalloon(), how, beginning).phase.kind).toBe(phase);
  });

  test('of a balloon that gives, with a machine behind it: by growing the machine', () => {
    const work = planned(plan(large, small), aBalloon(), { fenced: false, actuated: true }, beginning);
    expect(inShort(nextStep(work, facts(aBalloon()), times))).toBe('grow-hardware');
  });
});

describe('"wait settleMillis"', () => {
  const fenced = planned(plan(small, large), aBalloon(), { fenced: true, actuated: false }, beginning);
  test.each([
    [499, 'wait'],
    [500, 'check while checking'],
  ])('after %d ms: %s', (nowMs, step) => {
    expect(inShort(nextStep(fenced, facts(aBalloon(), { nowMs }), times))).toBe(step);
  });
});

describe('"observe: first match wins, evaluated on one pod snapshot"', () => {
  test.each<[string, ResizeWork, BalloonPod | undefined, Partial<StepFacts>, string]>([
    ['"uid differs" -> "PodReplaced"', down, aBalloon({ uid: 'p2' }), {}, 'PodReplaced'],
    ['"deleting" -> "PodReplaced"', down, { ...asking, deleting: true }, {}, 'PodReplaced'],
    ['"allocated == to" -> "Succeeded"', down, { ...asking, allocated: large }, {}, 'Succeeded'],
    ['"InProgress may linger"', down, { ...asking, allocated: large, inProgress: true }, {}, 'Succeeded'],
    ['Deferred -> rollback', down, { ...asking, pending: deferred }, {}, 'read-pod while rolling-back'],
    [
      'Infeasible -> rollback',
      down,
      { ...asking, pending: { ...deferred, reason: 'Infeasible' } },
      {},
      'read-pod while rolling-back',
    ],
    [
      'a judgement of the spec before ours says nothing',
      down,
      { ...asking, pending: { ...deferred, observedGeneration: 3 } },
      {},
      'wait',
    ],
    ['"InProgress reason Error -> keep"', down, { ...asking, failing: 'cgroup busy' }, {}, 'wait'],
    ['nothing yet', down, asking, {}, 'wait'],
    [
      '"observeSeconds over": the pod itself is read first',
      down,
      asking,
      { nowMs: 10_000 },
      'read-pod while observing',
    ],
    [
      'a new spec while it takes: "rolled back first, never stacked"',
      down,
      asking,
      { generation: 3 },
      'read-pod while rolling-back',
    ],
    [
      'a new spec while it gives: nothing to take back',
      up,
      aBalloon({ desired: small, allocated: large }),
      { generation: 3 },
      'Superseded',
    ],
    ['the node is gone', down, asking, { nodeExists: false }, 'NodeGone'],
  ])('%s', (_rule, work, pod, more, step) => {
    expect(inShort(nextStep(observing(work), facts(pod, more), times))).toBe(step);
  });

  test('"deadlineSeconds": a spec may give the kubelet less time than its policy', () => {
    const hurried = observing(planned(plan(small, large), aBalloon(), unfenced, { ...beginning, withinMs: 5_000 }));
    expect(inShort(nextStep(hurried, facts(asking, { nowMs: 5_000 }), times))).toBe('read-pod while observing');
  });
});

describe('when the time is over', () => {
  test('what takes is taken back', () => {
    const step = stepAfterReading(observing(down), facts(asking, { nowMs: 10_000 }), times);
    expect(step).toMatchObject({
      kind: 'read-pod',
      work: { phase: { kind: 'rolling-back', ending: { result: 'TimedOut' } } },
    });
  });

  test('"kubelet unreachable: leave the lower spec in place"', () => {
    const step = stepAfterReading(
      observing(up),
      facts(aBalloon({ desired: small, allocated: large }), { nowMs: 10_000 }),
      times,
    );
    expect(inShort(step)).toBe('TimedOut');
  });

  test('what was accepted unobserved has succeeded', () => {
    const step = stepAfterReading(observing(down), facts({ ...asking, allocated: large }, { nowMs: 10_000 }), times);
    expect(inShort(step)).toBe('Succeeded');
  });
});

describe('"mixed: decreases first"', () => {
  const patches = [small, wide];
  const from = parseAmounts({ cpu: '1', memory: '4Gi' });
  const mixed = planned(plan(from, wide, patches), aBalloon(), unfenced, beginning);

  test('after what shrinks, what grows is checked anew', () => {
    const step = nextStep(observing(mixed), facts(aBalloon({ desired: small, allocated: small })), times);
    expect(step).toMatchObject({ kind: 'check', work: { phase: { kind: 'checking', patch: 1 } } });
  });

  test('what shrank stays when what grows is deferred', () => {
    const pod = aBalloon({ generation: 4, desired: wide, allocated: small, pending: deferred });
    const step = nextStep(observing(mixed, 1), facts(pod), times);
    if (step.kind !== 'read-pod') throw new Error(step.kind);
    expect(stepAfterReading(step.work, facts(pod), times)).toMatchObject({ kind: 'roll-back', to: small });
  });
});

test('with a machine behind it, it shrinks only after the kubelet has set aside what is hidden', () => {
  const actuated = { ...times, actuated: true };
  expect(inShort(nextStep(observing(down), facts(asking), actuated))).toBe('wait');
  expect(inShort(nextStep(observing(down), facts({ ...asking, allocated: large }), actuated))).toBe('shrink-hardware');
});

describe('"a restarted leader drives every ticket to RollingBack/Succeeded before planning anything"', () => {
  const ticket = {
    id: '2-abcd',
    generation: 2,
    direction: 'Down',
    phase: 'Resizing',
    from: { cpu: '1', memory: '1Gi' },
    to: { cpu: '4', memory: '4Gi' },
    podUID: 'p1',
    startedAt: '2026-01-01T00:00:00Z',
    deadline: '2026-01-01T00:00:30Z',
    fenced: true,
  } as const;
  const taken = inherited(ticket, 100);

  test('it looks before anything else', () => {
    expect(inShort(nextStep(taken, facts(asking), times))).toBe('read-pod while inherited');
  });

  test.each<[string, BalloonPod | undefined, string]>([
    ['the kubelet has taken it', { ...asking, allocated: large }, 'Succeeded'],
    ['it was never asked for', aBalloon(), 'RolledBack'],
    ['the pod is another one', aBalloon({ uid: 'p2' }), 'PodReplaced'],
    ['the kubelet has not taken it', asking, 'read-pod while rolling-back'],
  ])('%s', (_found, pod, step) => {
    expect(inShort(stepAfterReading(taken, facts(pod), times))).toBe(step);
  });

  test('a revert answers no request: the size is planned anew', () => {
    const step = stepAfterReading(taken, facts(aBalloon()), times);
    expect(step.kind === 'close' && settlesSpec(step.ending)).toBe(false);
  });
});

test('what another client requested is reverted by the same rules', () => {
  const ending = { result: 'RolledBack', reason: 'ExternalResize', message: 'not ours' } as const;
  const work = takingBack(asking, ending, beginning);
  expect(inShort(nextStep(work, facts(asking), times))).toBe('read-pod while rolling-back');
  expect(stepAfterReading(work, facts(asking), times)).toMatchObject({ kind: 'roll-back', to: small });
  expect(stepAfterReading(work, facts(aBalloon()), times)).toMatchObject({ kind: 'close', ending });
});

describe('whatever the kubelet and the clock do', () => {
  const amounts = fc.record({ cpu: fc.bigInt(0n, 5n), memory: fc.bigInt(0n, 5n) });
  const pods = fc
    .record({ desired: amounts, allocated: amounts, uid: fc.constantFrom('p1', 'p1', 'p2'), deleting: fc.boolean() })
    .map((change) => aBalloon({ generation: 4, ...change }));
  const works = fc
    .record({ from: amounts, to: amounts })
    .map(({ from, to }) => observing(planned(plan(from, to), aBalloon(), unfenced, beginning)));
  const moments = fc.integer({ min: 0, max: 40_000 });

  test('I7: a rollback asks for no more of anything than what is set aside', () => {
    fc.assert(
      fc.property(works, pods, moments, (work, pod, nowMs) => {
        let step = stepAfterReading(work, facts(pod, { nowMs }), times);
        if (step.kind === 'read-pod') step = stepAfterReading(step.work, facts(pod, { nowMs }), times);
        if (step.kind !== 'roll-back') return;
        for (const resource of resources) expect(step.to[resource]).toBeLessThanOrEqual(pod.allocated[resource]);
      }),
    );
  });

  test('I3: where a resize ends, no pod requests more than is allocated', () => {
    fc.assert(
      fc.property(works, pods, moments, (work, pod, nowMs) => {
        const step = stepAfterReading(work, facts(pod, { nowMs }), times);
        if (step.kind !== 'close' || step.ending.result === 'PodReplaced') return;
        // Only what grows can be taken later; what shrinks is always admitted.
        if (within(work.to, work.from)) return;
        expect(within(pod.desired, pod.allocated) || sameAmounts(pod.allocated, work.to)).toBe(true);
      }),
    );
  });
});
