import type { FinishedSpan } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Desired, FeatureStatus, Mode } from '../api/feature.js';
import { apiVersion } from '../api/group.js';
import {
  aConsent,
  aDefinition,
  after,
  allOff,
  allOn,
  aScan,
  aSituation,
  counts,
  settled,
} from '../testing/a-situation.js';
import { finishedSpans } from './finished-spans.js';
import type { Situation } from './situation.js';
import { type Step, step } from './step.js';
import type { TaskOutcome, TaskReport } from './task-outcome.js';

/** What may happen to a feature between two steps. */
type Happening =
  | { readonly kind: 'desired'; readonly desired: Desired }
  | { readonly kind: 'paused'; readonly paused: boolean }
  | { readonly kind: 'unknown'; readonly unknown: boolean }
  | { readonly kind: 'definition'; readonly off: readonly string[] }
  | { readonly kind: 'cleanup'; readonly cleanup: Situation['cleanup'] }
  | { readonly kind: 'mode'; readonly mode: Mode }
  | { readonly kind: 'approve' }
  | { readonly kind: 'uses'; readonly uses: Situation['uses'] }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'ran'; readonly outcome: TaskOutcome }
  /** A server that was away hands in what it ran long ago. */
  | { readonly kind: 'stale' };

const mixed = counts('1/0/0 1/1/0 0/1/0');
const silent = counts('0/1/0 0/1/1 0/0/1');
const outcome: fc.Arbitrary<TaskOutcome> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<TaskOutcome>({ kind: 'done' }) },
  fc.constant<TaskOutcome>({ kind: 'failed', message: 'away' }),
  fc.constant<TaskOutcome>({ kind: 'waiting', reason: 'OldValueInUse', message: 'one', eager: true }),
  fc.constant<TaskOutcome>({ kind: 'blocked', reason: 'Refused', message: 'no' }),
);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constant('desired' as const), desired: fc.constantFrom<Desired>('On', 'Off', 'Unmanaged') }),
  fc.record({ kind: fc.constant('paused' as const), paused: fc.boolean() }),
  fc.record({ kind: fc.constant('unknown' as const), unknown: fc.boolean() }),
  fc.record({ kind: fc.constant('definition' as const), off: fc.subarray(['Drain', 'ClearField', 'Archive']) }),
  fc.record({
    kind: fc.constant('cleanup' as const),
    cleanup: fc.constantFrom<Situation['cleanup']>('Automatic', 'Manual', 'Never'),
  }),
  fc.record({ kind: fc.constant('mode' as const), mode: fc.constantFrom<Mode>('Follow', 'Central', 'Dynamic') }),
  fc.record({ kind: fc.constant('approve' as const) }),
  fc.record({ kind: fc.constant('uses' as const), uses: fc.constantFrom(allOn, allOff, mixed, silent) }),
  fc.record({ kind: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 700_000 }) }),
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('ran' as const), outcome }) },
  fc.record({ kind: fc.constant('stale' as const) }),
);

/** Plays what happens through `step`, and shows every step to `see`. */
function play(story: readonly Happening[], see: (before: Situation, taken: Step) => void): void {
  let situation = aSituation('Unknown', { uses: allOff });
  const reports: TaskReport[] = [];
  let ids = 0;
  for (const event of story) {
    let next: Situation = { ...situation, report: undefined, newId: `n${ids++}`, nowMs: situation.nowMs + 1_000 };
    const { transition } = next.status;
    const head = transition?.tasks[0];
    if (event.kind === 'desired') next = { ...next, spec: { ...next.spec, desired: event.desired } };
    if (event.kind === 'paused') next = { ...next, spec: { ...next.spec, paused: event.paused } };
    if (event.kind === 'unknown') {
      next = { ...next, unknown: event.unknown ? { reason: 'NotSeen', message: '' } : undefined };
    }
    if (event.kind === 'definition') {
      const spec = { ...aDefinition, tasks: { off: event.off.map((kind) => ({ kind })) } };
      next = { ...next, definition: { spec, digest: event.off.join(), revision: event.off.join(), problems: [] } };
    }
    if (event.kind === 'cleanup') next = { ...next, cleanup: event.cleanup };
    if (event.kind === 'mode') next = { ...next, spec: { ...next.spec, mode: event.mode } };
    if (event.kind === 'approve' && transition)
      next = { ...next, spec: { ...next.spec, consent: aConsent(transition.plan) } };
    if (event.kind === 'uses') next = { ...next, uses: event.uses };
    if (event.kind === 'time') next = { ...next, nowMs: next.nowMs + event.ms };
    if (event.kind === 'ran' && transition && head) {
      const publishes = head.kind === 'Publish' && event.outcome.kind === 'done';
      const scans = head.kind === 'VerifyClean' && event.outcome.kind === 'blocked';
      const gave: TaskOutcome = publishes
        ? { kind: 'done', publish: transition.to === 'On' }
        : scans
          ? { kind: 'found', dangling: aScan(3) }
          : event.outcome;
      const report = { transition: transition.id, task: head.name, outcome: gave };
      reports.push(report);
      next = { ...next, report };
    }
    if (event.kind === 'stale') next = { ...next, report: reports[0] };
    const taken = step(next);
    see(next, taken);
    situation = after(next, taken);
  }
}

const stories = fc.array(happening, { minLength: 1, maxLength: 60 });
const check = (see: (before: Situation, taken: Step) => void) =>
  fc.assert(
    fc.property(stories, (story) => play(story, see)),
    { numRuns: 400 },
  );

test('step() I1: a transition is there exactly while the state is neither On nor Off nor Unknown', () => {
  check((_before, { status }) => {
    expect(status.transition !== undefined).toBe(status.state === 'TurningOn' || status.state === 'TurningOff');
  });
});

test('step() I2: On and Off are never adjacent', () => {
  check((before, { status }) => {
    expect([before.status.state, status.state].sort().join()).not.toBe('Off,On');
  });
});

test('step() I3: the final state is where the transition went, with no task left but skipped ones', () => {
  check(({ status: before, cleanup }, { status }) => {
    if (!before.transition || status.transition) return;
    expect(status.state).toBe(before.transition.to);
    const [, ...rest] = before.transition.tasks;
    expect(rest.filter((task) => !(task.destructive && cleanup === 'Never'))).toEqual([]);
  });
});

test('step() I4: numbers of transitions rise with every new id, and stale reports change no task', () => {
  check((before, { status }) => {
    const [old, now] = [before.status.transition, status.transition];
    expect(status.transitions ?? 0).toBeGreaterThanOrEqual(before.status.transitions ?? 0);
    if (now && now.id !== old?.id) expect(now.seq).toBeGreaterThan(before.status.transitions ?? 0);
    const isStale = before.report && before.report.transition !== old?.id;
    if (isStale && now?.id === old?.id) expect(now?.completed).toEqual(old?.completed);
  });
});

test('step() I5: only the head of what is written is run, so nothing runs before what comes before it is recorded', () => {
  check((_before, { status, next }) => {
    if (next?.kind === 'run') expect(status.transition?.tasks[0]).toEqual(next.task);
  });
});

test('step() I8: the published value changes at most once per transition', () => {
  fc.assert(
    fc.property(stories, (story) => {
      const changes = new Map<string, Set<boolean>>();
      play(story, (_before, { status }) => {
        const { transition, published } = status;
        if (!transition || !published || published.epoch !== transition.seq) return;
        const seen = changes.get(transition.id) ?? new Set();
        changes.set(transition.id, seen.add(published.value));
      });
      for (const values of changes.values()) expect(values.size).toBe(1);
    }),
    { numRuns: 400 },
  );
});

test('step() I9: with inputs that stay and tasks that succeed there is a fixpoint after |tasks| + 3 steps', () => {
  for (const from of ['Unknown', 'On', 'Off'] as const) {
    for (const to of ['On', 'Off'] as const) {
      const start = aSituation(from, { spec: { desired: to }, uses: from === 'On' ? allOn : allOff });
      const tasks = step(start).status.transition?.tasks.length ?? 0;
      const { situation, steps } = settled(start);
      expect(situation.status.state).toBe(to);
      expect(steps).toBeLessThanOrEqual(tasks + 3);
      const again = step(situation);
      expect([again.openRound, again.next?.kind === 'run']).toEqual([false, false]);
      expect(again.status.transition).toBeUndefined();
    }
  }
});

test('step() I12: frozen or paused, nothing is done that could change anything', () => {
  check((before, { openRound, next }) => {
    if (!before.unknown && !before.spec.paused) return;
    expect([openRound, next?.kind === 'run']).toEqual([false, false]);
  });
});

test('step() I13: each transition that ended is told as one span, and each of its tasks as one within it', () => {
  fc.assert(
    fc.property(stories, (story) => {
      const spans: FinishedSpan[] = [];
      const ended: string[] = [];
      /** By id: tasks that were done when the transition was first stored, as a new plan keeps them. */
      const inherited = new Map<string, number>();
      const total = new Map<string, number>();
      play(story, ({ spec, status: before }, { status }) => {
        const feature = { apiVersion, kind: 'Feature', metadata: { namespace: 'shop', uid: 'u' }, spec };
        spans.push(...finishedSpans({ ...feature, status: before }, { ...feature, status }));
        const { transition } = before;
        if (transition && transition.id !== status.transition?.id) {
          ended.push(transition.id);
          if (!status.transition) total.set(transition.id, transition.completed.length + transition.tasks.length);
        }
        const now = status.transition;
        if (now && !inherited.has(now.id)) inherited.set(now.id, now.completed.length);
      });
      const traceOf = (id: string) => spans.filter(({ trace }) => trace === `Feature u ${id}`);
      expect(spans.filter(({ part }) => part === undefined).map(({ trace }) => trace)).toEqual(
        ended.map((id) => `Feature u ${id}`),
      );
      for (const id of ended) {
        const [whole, ...parts] = traceOf(id).sort((a, b) => (a.part ?? '').localeCompare(b.part ?? ''));
        expect(new Set(parts.map(({ part }) => part)).size).toBe(parts.length);
        for (const { startMs, endMs } of parts) {
          expect(startMs).toBeLessThanOrEqual(endMs);
          expect(startMs).toBeGreaterThanOrEqual(whole?.startMs ?? Number.NaN);
          expect(endMs).toBeLessThanOrEqual(whole?.endMs ?? Number.NaN);
        }
        if (total.has(id)) expect(parts.length + (inherited.get(id) ?? 0)).toBe(total.get(id));
      }
    }),
    { numRuns: 400 },
  );
});

test('step() keeps what it does not know: fields of a newer server stay in the status', () => {
  const status = { ...aSituation('On').status, newerField: { a: 1 } } as FeatureStatus;
  expect(step(aSituation('On', { status, spec: { desired: 'Off' } })).status).toHaveProperty('newerField.a', 1);
});
