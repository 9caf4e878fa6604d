import { findCondition } from '@slipway/kube';
import { expect, test } from 'vitest';
import type { FeatureStatus } from '../api/feature.js';
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
  startMs,
} from '../testing/a-situation.js';
import type { Situation } from './situation.js';
import { type Step, step } from './step.js';

const condition = (status: FeatureStatus, type: string) => {
  const found = status.conditions?.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}`;
};
const tasks = (status: FeatureStatus) => (status.transition?.tasks ?? []).map(({ name }) => name).join(' ');
const aSample = { resource: 'widgets.acme.io', name: 'w', path: 'spec.fast', managers: [], via: 'Spec' } as const;
const turningOff = step(aSituation('On', { spec: { desired: 'Off' } })).status;
const turningOn = step(aSituation('Off', { spec: { desired: 'On' } })).status;
const offPlan = 'CheckDependents InstallGuard Drain Publish WaitForUses ClearField VerifyClean';
const manual = { cleanup: 'Manual', status: { ...turningOff, specDigest: digestOf('Manual') } } as const;

function digestOf(cleanup: Situation['cleanup']): string {
  return step(aSituation('On', { spec: { desired: 'Off' }, cleanup })).status.specDigest ?? '';
}

function report(status: FeatureStatus, outcome: NonNullable<Situation['report']>['outcome']): Situation['report'] {
  return { transition: status.transition?.id ?? '', task: status.transition?.tasks[0]?.name ?? '', outcome };
}

/** The same transition with only its last tasks left. */
function upTo(status: FeatureStatus, name: string): FeatureStatus {
  const { transition } = status;
  if (!transition) throw new Error('no transition');
  const from = transition.tasks.findIndex((task) => task.name === name);
  return { ...status, transition: { ...transition, tasks: transition.tasks.slice(from) } };
}

// rule of features.md 4.6 | situation | state after | something else that must be so
type Case = readonly [string, Situation, string, (status: FeatureStatus, taken: Step) => void];
const off = { desired: 'Off' } as const;
const on = { desired: 'On' } as const;
const cases: readonly Case[] = [
  [
    'T1 Unknown, all required On, want On: adopt, no tasks',
    aSituation('Unknown', { spec: on, uses: allOn }),
    'On',
    (status) => expect(status.transition).toBeUndefined(),
  ],
  [
    'T2 Unknown, all required Off, want Off: adopt, audit scan',
    aSituation('Unknown', { uses: allOff }),
    'Off',
    (_status, taken) => expect(taken.next).toEqual({ kind: 'scanReferences' }),
  ],
  [
    'T3 Unknown, evidence incomplete: wait',
    aSituation('Unknown', { uses: counts('0/1/0 0/1/1 0/0/0') }),
    'Unknown',
    (_status, taken) => expect(taken.wakeAfterMs).toBe(2_000),
  ],
  [
    'T3 Unknown, no process has reported: wait without end',
    aSituation('Unknown', { uses: counts('0/0/0 0/0/0 0/0/0'), nowMs: startMs + 900_000 }),
    'Unknown',
    (status) => expect(condition(status, 'UsesConsistent')).toBe('Unknown NoEvidence'),
  ],
  [
    'T4 Unknown, still incomplete after settle and renew: transition per want',
    aSituation('Unknown', { uses: counts('0/1/0 0/1/1 0/0/0'), nowMs: startMs + 400_000 }),
    'TurningOff',
    (status) => expect(tasks(status)).toBe('CheckDependents InstallGuard WaitForUses Drain ClearField VerifyClean'),
  ],
  [
    'T4 Unknown, all Off, want On: transition',
    aSituation('Unknown', { spec: on }),
    'TurningOn',
    (status) => expect(tasks(status)).toBe('CheckDependencies Publish WaitForUses RemoveGuard'),
  ],
  [
    'T4 Unknown, all Off, want On without a guard: one that is in force goes first',
    aSituation('Unknown', { spec: { ...on, guard: { mode: 'None' } } }),
    'TurningOn',
    (status) => expect(tasks(status)).toBe('CheckDependencies RemoveGuard Publish WaitForUses'),
  ],
  [
    'T10 TurningOn, the guard is no longer wanted: it goes before what is waited for',
    aSituation('Off', { status: upTo(turningOn, 'WaitForUses'), spec: { ...on, guard: { mode: 'None' } } }),
    'TurningOn',
    (status) => expect(tasks(status).split(' ').slice(0, 2)).toContain('RemoveGuard'),
  ],
  [
    'T5 Off, want On: new id, plan, epoch',
    aSituation('Off', { spec: on }),
    'TurningOn',
    (status, taken) => {
      expect(status.transition).toMatchObject({ id: '7-abcd', seq: 4, to: 'On' });
      expect(taken.openRound).toBe(true);
    },
  ],
  [
    'T5 Off, want On, paused: stays',
    aSituation('Off', { spec: { ...on, paused: true } }),
    'Off',
    (status) => expect(condition(status, 'Blocked')).toBe('True Paused'),
  ],
  [
    'T6 Off, audit finds uses, cleanup Manual: dangling, stays Off',
    aSituation('Off', { scan: aScan(12), cleanup: 'Manual' }),
    'Off',
    (status) => {
      expect(condition(status, 'DanglingReferences')).toBe('True Found');
      expect(status.summary?.state).toBe('Off (12 dangling)');
    },
  ],
  [
    'T7 Off, uses found, cleanup Automatic: clean',
    aSituation('Off', { scan: aScan(12) }),
    'TurningOff',
    (status) => expect(tasks(status)).toBe(offPlan),
  ],
  [
    'T8 Off, a process reports On: drift, state stays',
    aSituation('Off', { uses: counts('0/1/0 1/1/0 0/1/0') }),
    'Off',
    (status) => expect(condition(status, 'UsesConsistent')).toBe('False Drift'),
  ],
  [
    'T8 Off, drift has cleared: audit',
    after(aSituation('Off'), step(aSituation('Off', { uses: counts('0/1/0 1/1/0 0/1/0') }))),
    'Off',
    (_status, taken) => expect(taken.next).toEqual({ kind: 'scanReferences' }),
  ],
  [
    'T8 Off, the definition has changed: what was found for the old one is forgotten, and scanned again',
    redefined(after(aSituation('Off'), step(aSituation('Off', { scan: aScan(0) })))),
    'Off',
    (status, taken) => {
      expect(status.dangling).toBeUndefined();
      expect(taken.next).toEqual({ kind: 'scanReferences' });
    },
  ],
  [
    'T8 Off, the scan could not look at everything: another one soon, since it may now',
    aSituation('Off', { scan: { ...aScan(0), complete: false, note: 'forbidden' } }),
    'Off',
    (status, taken) => {
      expect(condition(status, 'DanglingReferences')).toBe('Unknown NotScanned');
      expect(taken.wakeAfterMs).toBe(14_000);
      const later = after(aSituation('Off', { nowMs: startMs + 15_000 }), taken);
      expect(step({ ...later, nowMs: startMs + 15_000 }).next).toEqual({ kind: 'scanReferences' });
    },
  ],
  [
    'T9 TurningOn, want Off: supersede with the full plan',
    aSituation('Off', { status: turningOn, spec: off, newId: '8-efgh' }),
    'TurningOff',
    (status, taken) => {
      expect(status.transition).toMatchObject({ id: '8-efgh', seq: 5, supersedes: '7-abcd' });
      expect(tasks(status)).toBe(offPlan);
      expect(status.history?.[0]).toMatchObject({ id: '7-abcd', result: 'Superseded' });
      expect(taken.openRound).toBe(true);
    },
  ],
  [
    'T10 TurningOn, head task done: next task',
    aSituation('Off', { status: turningOn, spec: on, report: report(turningOn, { kind: 'done' }) }),
    'TurningOn',
    (status) => {
      expect(tasks(status)).toBe('Publish WaitForUses RemoveGuard');
      expect(status.transition?.completed).toMatchObject([{ name: 'CheckDependencies', result: 'Done' }]);
    },
  ],
  [
    'T11 TurningOn, last task done: On in the same write',
    aSituation('Off', {
      status: upTo(turningOn, 'RemoveGuard'),
      spec: on,
      uses: allOn,
      report: report(upTo(turningOn, 'RemoveGuard'), { kind: 'done' }),
    }),
    'On',
    (status) => {
      expect(status.transition).toBeUndefined();
      expect(status.history?.[0]).toMatchObject({ id: '7-abcd', to: 'On', result: 'Completed' });
    },
  ],
  [
    'T12 On, want Off: new id, plan, epoch',
    aSituation('On', { spec: off }),
    'TurningOff',
    (status, taken) => {
      expect(tasks(status)).toBe(offPlan);
      expect(taken.openRound).toBe(true);
    },
  ],
  [
    'T12 On, unmanaged, and the authority changed: want changed',
    aSituation('On', { spec: { desired: 'Unmanaged' }, uses: counts('0/1/0 2/0/0 1/0/0') }),
    'TurningOff',
    (status) => expect(status.configured).toEqual({ value: false, source: 'Authority' }),
  ],
  [
    'T13 On, a process reports Off: drift, not reopened',
    aSituation('On', { uses: counts('1/0/0 1/1/0 1/0/0') }),
    'On',
    (status) => expect(condition(status, 'UsesConsistent')).toBe('False Drift'),
  ],
  [
    'T14 TurningOff, want On: supersede',
    aSituation('On', { status: turningOff, spec: on, newId: '8-efgh' }),
    'TurningOn',
    (status) => expect(status.transition).toMatchObject({ id: '8-efgh', supersedes: '7-abcd' }),
  ],
  [
    'T15 TurningOff, head done: next head',
    aSituation('On', { status: turningOff, spec: off, report: report(turningOff, { kind: 'done' }) }),
    'TurningOff',
    (status) => expect(tasks(status)).toBe('InstallGuard Drain Publish WaitForUses ClearField VerifyClean'),
  ],
  [
    'T16 TurningOff, VerifyClean finds uses: what clears runs again before it',
    aSituation('On', {
      status: upTo(turningOff, 'VerifyClean'),
      spec: off,
      report: report(upTo(turningOff, 'VerifyClean'), { kind: 'found', dangling: aScan(2) }),
    }),
    'TurningOff',
    (status) => {
      expect(tasks(status)).toBe('ClearField VerifyClean');
      expect(status.transition?.loops).toBe(1);
    },
  ],
  [
    'T16 the sixth time: blocked, another writer sets it again and again',
    aSituation('On', {
      status: withLoops(upTo(turningOff, 'VerifyClean'), 5),
      spec: off,
      report: report(upTo(turningOff, 'VerifyClean'), {
        kind: 'found',
        dangling: { ...aScan(2), samples: [{ ...aSample, managers: ['argocd-controller'] }] },
      }),
    }),
    'TurningOff',
    (status) => {
      expect(condition(status, 'Blocked')).toBe('True Reappearing');
      expect(status.transition?.tasks[0]?.message).toContain('argocd-controller');
    },
  ],
  [
    'T17 TurningOff, last task done: Off and clean',
    aSituation('On', {
      status: upTo(turningOff, 'VerifyClean'),
      spec: off,
      uses: allOff,
      report: report(upTo(turningOff, 'VerifyClean'), { kind: 'done', dangling: aScan(0) }),
    }),
    'Off',
    (status) => {
      expect(condition(status, 'DanglingReferences')).toBe('False Clean');
      expect(condition(status, 'UsesConsistent')).toBe('True Agreed');
    },
  ],
  [
    'T18 Known=False: freeze',
    aSituation('On', { spec: off, unknown: { reason: 'NotSeen', message: 'it is unknown' } }),
    'On',
    (status, taken) => {
      expect(condition(status, 'Known')).toBe('False NotSeen');
      expect(taken.events).toMatchObject([{ reason: 'FeatureUnknown' }]);
      expect(taken).toMatchObject({ openRound: false, next: undefined });
    },
  ],
  [
    'T18 the same in the middle of a transition',
    aSituation('On', {
      status: turningOff,
      spec: off,
      unknown: { reason: 'NotSeen', message: 'it is unknown' },
      report: report(turningOff, { kind: 'done' }),
    }),
    'TurningOff',
    (status, taken) => {
      expect(tasks(status)).toBe(offPlan);
      expect(taken).toMatchObject({ openRound: false, next: undefined, wakeAfterMs: undefined });
    },
  ],
  [
    'T19 transitional and paused: same, Blocked',
    aSituation('On', { status: turningOff, spec: { ...off, paused: true } }),
    'TurningOff',
    (status, taken) => {
      expect(condition(status, 'Blocked')).toBe('True Paused');
      expect(taken.next).toBeUndefined();
    },
  ],
  [
    'T19 cleanup Manual, destructive task, no consent: Blocked',
    aSituation('On', { ...manual, status: upTo(manual.status, 'ClearField'), spec: off }),
    'TurningOff',
    (status, taken) => {
      expect(condition(status, 'Blocked')).toBe('True NeedsApproval');
      expect(taken.next).toBeUndefined();
    },
  ],
  [
    'T19 consent to this plan: runs',
    aSituation('On', {
      ...manual,
      status: upTo(manual.status, 'ClearField'),
      spec: { ...off, consent: aConsent(turningOff.transition?.plan ?? '') },
    }),
    'TurningOff',
    (_status, taken) => expect(taken.next?.kind).toBe('run'),
  ],
  [
    'T19 consent to the plan of another transition: Blocked',
    aSituation('On', {
      ...manual,
      status: upTo(manual.status, 'ClearField'),
      spec: { ...off, consent: aConsent(turningOn.transition?.plan ?? '') },
    }),
    'TurningOff',
    (status) => expect(condition(status, 'Blocked')).toBe('True NeedsApproval'),
  ],
  [
    'T20 transitional, definition changed: replan, keep what is done and unchanged',
    aSituation('On', {
      status: step(aSituation('On', { status: turningOff, spec: off, report: report(turningOff, { kind: 'done' }) }))
        .status,
      spec: off,
      newId: '8-efgh',
      definition: {
        spec: { ...aDefinition, tasks: { off: [{ kind: 'Drain' }, ...(aDefinition.tasks?.off?.slice(1) ?? [])] } },
        digest: 'another',
        revision: 'u1/2',
        problems: [],
      },
    }),
    'TurningOff',
    (status) => {
      expect(status.transition).toMatchObject({ id: '8-efgh', completed: [{ name: 'CheckDependents' }] });
      expect(tasks(status)).toBe('InstallGuard Publish WaitForUses Drain ClearField VerifyClean');
      expect(status.history?.[0]).toMatchObject({ result: 'Replanned' });
    },
  ],
];

function withLoops(status: FeatureStatus, loops: number): FeatureStatus {
  return status.transition ? { ...status, transition: { ...status.transition, loops } } : status;
}

test.each(cases)('step() %s', (_rule, situation, state, check) => {
  const taken = step(situation);
  expect(taken.status.state).toBe(state);
  check(taken.status, taken);
});

test('step() drops a report of another transition, and one of another task', () => {
  for (const stale of [
    { transition: '6-zzzz', task: 'CheckDependents', outcome: { kind: 'done' } },
    { transition: '7-abcd', task: 'Publish', outcome: { kind: 'done' } },
  ] as const) {
    const { status } = step(aSituation('On', { status: turningOff, spec: off, report: stale }));
    expect(tasks(status)).toBe(offPlan);
  }
});

test('step() publishes once per transition, and withdraws the value when the gate is no longer steered', () => {
  const { situation: end } = settled(aSituation('On', { spec: off, uses: allOff }));
  expect(end.status).toMatchObject({ state: 'Off', published: { value: false, epoch: 4 } });
  const { status } = step({ ...end, spec: { ...end.spec, desired: 'Unmanaged' } });
  expect(status.published).toBeUndefined();
});

test('step() refuses a mode or a direction that the definition does not allow, and says so', () => {
  const refusing = (change: object) => ({
    spec: { ...aDefinition, ...change },
    digest: 'definition',
    revision: 'u1/1',
    problems: [],
  });
  const settable = { mode: 'Follow', why: 'its definition says dynamic: Never' } as const;
  const central = step(aSituation('On', { spec: off, settable })).status;
  expect([central.state, condition(central, 'Blocked')]).toEqual(['On', 'True NotDynamic']);
  const oneWay = step(aSituation('On', { spec: off, definition: refusing({ disable: 'Unsupported' }) })).status;
  expect([oneWay.state, condition(oneWay, 'Blocked')]).toEqual(['On', 'True DisableUnsupported']);
  const effective = { stage: 'GA', default: true, locked: true };
  const locked = step(aSituation('On', { spec: off, effective })).status;
  expect([locked.state, condition(locked, 'Blocked')]).toEqual(['On', 'True Locked']);
});

test('step() does not carry out a definition that has problems', () => {
  const definition = {
    spec: aDefinition,
    digest: 'definition',
    revision: 'u1/1',
    problems: ['spec of pods is immutable'],
  };
  const { status } = step(aSituation('On', { spec: off, definition }));
  expect(status.state).toBe('On');
  expect(status.conditions?.find(({ type }) => type === 'Blocked')?.message).toBe('spec of pods is immutable');
});

test('step() skips what changes objects when cleanup is Never, and holds until they are gone', () => {
  const { situation: end } = settled(aSituation('On', { spec: off, cleanup: 'Never', uses: allOff }));
  expect(end.status.state).toBe('Off');
  const verifying = step(
    aSituation('On', {
      cleanup: 'Never',
      spec: off,
      status: { ...upTo(turningOff, 'ClearField'), specDigest: digestOf('Never') },
    }),
  );
  expect(tasks(verifying.status)).toBe('VerifyClean');
  const found = report(verifying.status, { kind: 'found', dangling: aScan(4) });
  const { status } = step(aSituation('On', { cleanup: 'Never', spec: off, status: verifying.status, report: found }));
  expect(condition(status, 'Blocked')).toBe('True ObjectsRemain');
});

test('step() shows an undeclared gate as its processes have it, and never puts On next to Off', () => {
  const only = { definition: undefined, spec: { desired: 'Unmanaged' } } as const;
  const first = step(aSituation('Unknown', { ...only, uses: allOn })).status;
  expect([first.state, condition(first, 'DanglingReferences')]).toEqual(['On', 'Unknown NoDefinition']);
  const flipped = step(aSituation('On', { ...only, status: first, uses: allOff })).status;
  expect(flipped.state).toBe('Unknown');
  expect(step(aSituation('On', { ...only, status: flipped, uses: allOff })).status.state).toBe('Off');
  const asked = step(aSituation('On', { definition: undefined, status: first, spec: off, uses: allOn })).status;
  expect([asked.state, condition(asked, 'Blocked')]).toEqual(['On', 'True NoDefinition']);
});

test('step() retries what failed later each time, and honours what the server asked for', () => {
  const failed = { kind: 'failed', message: 'the network is down' } as const;
  let situation = aSituation('On', { status: turningOff, spec: off });
  const waits: number[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    const { status } = step({ ...situation, report: report(situation.status, failed) });
    const next = Date.parse(status.transition?.tasks[0]?.retryTime ?? '');
    waits.push(next - situation.nowMs);
    situation = { ...situation, status, nowMs: next };
  }
  expect(waits).toEqual([1_000, 2_000, 4_000]);
  const asked = step({ ...situation, report: report(situation.status, { ...failed, retryAfterMs: 60_000 }) });
  expect(asked.wakeAfterMs).toBe(60_000);
});

test.each([
  [counts('0/1/0 1/0/0 0/1/0'), 'False InTransition'],
  [allOff, 'True Agreed'],
])(
  'step() says that uses are consistent once all processes have come along, though objects are still cleared',
  (uses, says) => {
    const { status } = step(aSituation('On', { status: upTo(turningOff, 'ClearField'), spec: off, uses }));
    expect(status.state).toBe('TurningOff');
    expect(condition(status, 'UsesConsistent')).toBe(says);
  },
);

test('step() runs a task that waits at once when a retry is requested, and only once for each request', () => {
  const failing = (retry?: string, situation = aSituation('On', { spec: { desired: 'Off' } })) => {
    const spec = { ...situation.spec, ...(retry !== undefined && { retry }) };
    return { ...situation, spec };
  };
  const begun = step(failing());
  const { transition } = begun.status;
  const report = {
    transition: transition?.id ?? '',
    task: transition?.tasks[0]?.name ?? '',
    outcome: { kind: 'failed', message: 'away', retryAfterMs: 600_000 } as const,
  };
  expect(begun.next?.kind).toBe('run');
  const waits = step(after(failing(), begun, { report }));
  expect(waits.next).toBeUndefined();
  const asked = failing('once', after(failing(), waits));
  const again = step(asked);
  expect(again.next?.kind).toBe('run');
  const failed = step(after(asked, again, { report }));
  expect(failed.next).toBeUndefined();
  const later = failing('twice', after(asked, failed));
  expect(step(later).next?.kind).toBe('run');
});

test('step() says that a transition is not continued when the gate is unknown, and that its guard stays', () => {
  const begun = step(aSituation('On', { spec: { desired: 'Off' } }));
  const guard = { policies: ['slipway-widgets'], activeSince: '2026-01-01T00:00:00Z', verifiedReplicas: 1 };
  const unknown = { reason: 'NotSeen', message: 'Widgets is unknown' } as const;
  const { status } = step(
    after(aSituation('On', { spec: { desired: 'Off' } }), begun, {
      status: { ...begun.status, guard },
      definition: undefined,
      unknown,
      uses: counts('0/0/0 0/0/0 0/0/0'),
    }),
  );
  expect(findCondition(status.conditions, 'Progressing')).toMatchObject({ status: 'False', reason: 'NotSeen' });
  const blocked = findCondition(status.conditions, 'Blocked');
  expect(blocked).toMatchObject({ status: 'True', reason: 'NotSeen' });
  expect(blocked?.message).toContain('it stays TurningOff, and slipway-widgets stay in force');
});

test('step() has a condition while it waits for first reports', () => {
  const { status } = step(aSituation('Unknown', { spec: { desired: 'Off' }, uses: counts('0/1/0 0/0/0 0/0/0') }));
  expect(status.state).toBe('Unknown');
  const limited = findCondition(status.conditions, 'Progressing');
  expect(limited).toMatchObject({
    status: 'True',
    reason: 'AwaitingEvidence',
    message: expect.stringMatching(/until/),
  });

  // Nothing says what it should be, so that nothing will be decided when the time is over.
  const open = step(aSituation('Unknown', { uses: counts('0/0/0 0/0/0 0/0/0') })).status;
  expect(findCondition(open.conditions, 'Progressing')).toMatchObject({
    ...{ status: 'True', reason: 'AwaitingEvidence' },
    message: 'waits for first reports: server not seen; agent not seen; viewer not seen',
  });
});

/** The same situation with an edited definition. */
function redefined(situation: Situation): Situation {
  const { definition } = situation;
  return definition ? { ...situation, definition: { ...definition, digest: 'edited', revision: 'edited' } } : situation;
}
