import { findCondition } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FeatureStatus, Waiver } from '../api/feature.js';
import type { Target } from '../api/target.js';
import { after, allOff, allOn, aSituation, counts, settled } from '../testing/a-situation.js';
import type { Situation } from './situation.js';
import { type Step, step } from './step.js';
import type { TaskOutcome } from './task-outcome.js';

const consistent = (status: FeatureStatus) => {
  const found = findCondition(status.conditions, 'UsesConsistent');
  return `${found?.status} ${found?.reason}`;
};
const eventsOf = ({ events }: Step) => events.map(({ reason }) => reason);
const waiver: Waiver = {
  id: 'w-1',
  node: 'n1',
  reason: 'its disk is being replaced',
  by: 'anna',
  expires: '2026-01-08T00:00:00Z',
};
/** All required processes are off, but for one agent that is waived. */
const oneWaived = counts('0/1/0 0/1/0/1 0/1/0');

/** Runs what the step asks for, until a task of this kind is at work; gives the situation before its outcome. */
function until(kind: string, from: Situation): Situation {
  let situation = from;
  for (let steps = 0; steps < 20; steps++) {
    const taken = step(situation);
    const run = taken.next;
    if (run?.kind !== 'run') throw new Error(`nothing more to do before ${kind}`);
    if (run.task.kind === kind) return after(situation, taken);
    situation = after(situation, taken, ended(taken.status, { kind: 'done' }));
  }
  throw new Error(`no ${kind}`);
}

function ended({ transition }: FeatureStatus, outcome: TaskOutcome): Pick<Situation, 'report'> {
  return { report: { transition: transition?.id ?? '', task: transition?.tasks[0]?.name ?? '', outcome } };
}

test('step() says that a process was waived until every process really runs the value', () => {
  const waiting = until(
    'WaitForUses',
    aSituation('On', { spec: { desired: 'Off' }, uses: oneWaived, waivers: [waiver] }),
  );
  const outcome: TaskOutcome = { kind: 'done', result: 'Waived', note: 'agent: n1 waived (w-1, anna: its disk)' };
  const passed = step({ ...waiting, ...ended(waiting.status, outcome) });
  expect(eventsOf(passed)).toContain('WaiverUsed');
  expect(passed.status.transition?.completed.at(-1)).toMatchObject({
    kind: 'WaitForUses',
    result: 'Waived',
    note: outcome.note,
  });
  expect(consistent(passed.status)).toBe('False Waived');

  const off = settled(after(waiting, passed, ended(passed.status, { kind: 'done' }))).situation;
  expect(off.status).toMatchObject({
    state: 'Off',
    history: [{ result: 'Waived', note: `WaitForUses: ${outcome.note}` }],
    summary: { uses: '3/4 off, 1 waived' },
  });
  expect(consistent(off.status)).toBe('False Waived');

  // Its node was removed, so no process is waived any more: all that is left agrees.
  expect(consistent(step({ ...off, uses: allOff, waivers: [] }).status)).toBe('True Agreed');
  // The time of the waiver is over, and it still runs the old value.
  const over = step({ ...off, uses: counts('0/1/0 1/1/0 0/1/0'), waivers: [] });
  expect(consistent(over.status)).toBe('False Drift');
  expect(eventsOf(over)).toContain('DriftDetected');
  // It came along.
  const back = step(after(off, over, { uses: allOff, waivers: [] }));
  expect(consistent(back.status)).toBe('True Agreed');
  expect(eventsOf(back)).toContain('DriftCleared');
});

test('step() does not forget that silent processes were passed over, while they are silent', () => {
  const silent = counts('0/1/0 0/1/1 0/1/0');
  const waiting = until('WaitForUses', aSituation('On', { spec: { desired: 'Off' }, uses: silent }));
  const outcome: TaskOutcome = { kind: 'done', result: 'Waived', note: 'agent: 1 silent, as maxSilent allows' };
  const passed = step({ ...waiting, ...ended(waiting.status, outcome) });
  const off = settled(after(waiting, passed, ended(passed.status, { kind: 'done' }))).situation;
  expect(off.status.state).toBe('Off');
  expect(consistent(off.status)).toBe('False Waived');
  const drifted = step({ ...off, uses: counts('0/1/0 1/1/0 0/1/0') });
  expect(consistent(drifted.status)).toBe('False Drift');
  expect(consistent(step(after(off, drifted, { uses: silent })).status)).toBe('False Waived');
});

test('step() lets a task be that waits for a person and is waived by name, and records it', () => {
  const refused: TaskOutcome = { kind: 'blocked', reason: 'Refused', message: 'a webhook says no' };
  const clearing = until('ClearField', aSituation('On', { spec: { desired: 'Off' }, uses: allOff }));
  const held = step({ ...clearing, ...ended(clearing.status, refused) });
  expect(held.status.transition?.tasks[0]).toMatchObject({ name: 'ClearField', phase: 'Blocked' });
  const ofAnother = { ...waiver, node: undefined, task: 'Drain' } as unknown as Waiver;
  const kept = step(after(clearing, held, { waivers: [ofAnother] }));
  expect(kept.status.transition?.tasks[0]?.name).toBe('ClearField');
  const passed = step(after(clearing, held, { waivers: [{ ...ofAnother, task: 'ClearField' }] }));
  expect(passed.status.transition?.tasks[0]?.name).toBe('VerifyClean');
  expect(passed.status.transition?.completed.at(-1)).toMatchObject({
    name: 'ClearField',
    result: 'Waived',
    note: 'w-1 for ClearField until 2026-01-08T00:00:00Z, by anna: its disk is being replaced',
  });
  expect(eventsOf(passed)).toContain('WaiverUsed');
});

test('step() looks again when a waiver ends', () => {
  const { wakeAfterMs } = step(aSituation('Off', { waivers: [waiver] }));
  expect(wakeAfterMs).toBe(7 * 86_400_000 - 1_000);
});

test('step() adopts a state in spite of waived processes, if a process runs it, and says so', () => {
  const adopted = (uses: Situation['uses'], desired: Target = 'On') =>
    step(aSituation('Unknown', { spec: { desired }, uses, waivers: [waiver] })).status;
  const on = adopted(counts('1/0/0 1/0/0/1 1/0/0'));
  expect([on.state, consistent(on)]).toEqual(['On', 'False Waived']);
  expect(adopted(counts('0/0/0/1 0/0/0/2 0/0/0')).state).not.toBe('On');
  expect(consistent(adopted(allOn))).toBe('True Agreed');
});

test('step() I11: consistent is only what every required process says, waived and silent ones never', () => {
  const few = fc.integer({ min: 0, max: 2 });
  const component = fc.tuple(few, few, few, few).map((all) => all.join('/'));
  const uses = fc.tuple(component, component, component).map((all) => counts(all.join(' ')));
  const state = fc.constantFrom<'Unknown' | Target>('Unknown', 'On', 'Off');
  fc.assert(
    fc.property(
      state,
      fc.constantFrom<Target>('On', 'Off'),
      fc.array(uses, { minLength: 1, maxLength: 6 }),
      (from, desired, all) => {
        let situation = aSituation(from, { spec: { desired }, waivers: [waiver] });
        for (const now of all) {
          const taken = step({ ...situation, uses: now });
          const required = now.components.filter((one) => one.required);
          const isClean = findCondition(taken.status.conditions, 'UsesConsistent')?.status === 'True';
          const says = (value: 'on' | 'off') =>
            required.every((one) => one.expected > 0 && one[value] === one.expected);
          if (isClean) expect(says('on') || says('off')).toBe(true);
          situation = after(situation, taken);
        }
      },
    ),
    { numRuns: 300 },
  );
});
