import { expect, test } from 'vitest';
import type { FeatureStatus } from '../api/feature.js';
import type { DefinedTasks, FeatureDefinitionSpec } from '../api/feature-definition.js';
import { aConsent, aDefinition, after, aSituation, counts } from '../testing/a-situation.js';
import type { Situation } from './situation.js';
import { type Step, step } from './step.js';
import { tasksOnTheWay } from './version-tasks.js';
import { versionToLeave } from './versions.js';

const clear = { kind: 'ClearField', args: { group: 'acme.io', resource: 'widgets', path: 'spec.old' } };
const tasks: DefinedTasks = {
  ...aDefinition.tasks,
  upgrade: [
    { from: '1.34', to: '1.35', name: 'clear', ...clear },
    { from: '1.34', to: '1.35', kind: 'Rewrite', when: 'After' },
    { from: '1.35', to: '1.36', kind: 'Later' },
  ],
  downgrade: [{ from: '1.34', to: '1.33', kind: 'Back' }],
};
const definition: FeatureDefinitionSpec = { ...aDefinition, tasks };

const all = (version: string) => ({ oldest: version, newest: version });

function asked(targetVersion: string | undefined, overrides: Partial<Situation> = {}): Situation {
  const spec = targetVersion === undefined ? {} : { targetVersion };
  const known = { spec: definition, digest: 'definition', revision: 'u1/1', problems: [] };
  return aSituation('On', { definition: known, clusterVersions: all('1.34.2'), ...overrides, spec });
}

const open = ({ maintenance }: FeatureStatus) => maintenance?.tasks.map(({ name }) => name).join(' ');
const done = ({ maintenance }: FeatureStatus) => maintenance?.completed.map(({ name }) => name).join(' ');
const reasons = ({ events }: Step) => events.map(({ reason }) => reason);
const running = ({ next }: Step) => (next?.kind === 'run' ? [next.task.name] : []);
const condition = (status: FeatureStatus, type: string) => {
  const found = status.conditions?.find((one) => one.type === type);
  return `${found?.status} ${found?.reason}`;
};

/** The situation after the task at work was done. */
function afterIts(situation: Situation, taken: Step, overrides: Partial<Situation> = {}): Situation {
  const { maintenance } = taken.status;
  const task = maintenance?.tasks[0]?.name ?? '';
  return after(situation, taken, {
    report: { transition: maintenance?.id ?? '', task, outcome: { kind: 'done', objects: 3 } },
    ...overrides,
  });
}

test.each([
  ['1.34', '1.35', 'ClearField Rewrite'],
  ['1.34', '1.36', 'ClearField Rewrite Later'],
  ['1.35', '1.36', 'Later'],
  ['1.33', '1.37', 'ClearField Rewrite Later'],
  ['1.34', '1.33', 'Back'],
  ['1.35', '1.33', 'Back'],
  ['1.36', '1.37', ''],
])('on the way from %s to %s: %s', (from, to, kinds) => {
  expect(
    tasksOnTheWay(definition, { from, to })
      .map(({ kind }) => kind)
      .join(' '),
  ).toBe(kinds);
});

test('what is due before the move is done at once, what is due after it when the version is there', () => {
  const situation = asked('1.35');
  const first = step(situation);
  expect(open(first.status)).toBe('clear');
  expect(running(first)).toEqual(['clear']);
  expect(reasons(first)).toEqual(['MaintenanceStarted']);
  expect(first.status.state).toBe('On');
  expect(first.status.transition).toBeUndefined();
  expect(condition(first.status, 'Progressing')).toBe('True UpgradeTasks');

  const second = step(afterIts(situation, first));
  expect([open(second.status), done(second.status)]).toEqual(['', 'clear']);
  expect(reasons(second)).toEqual(['TaskCompleted', 'MaintenanceCompleted']);
  expect(condition(second.status, 'Progressing')).toBe('False Settled');

  const waiting = step(after(situation, second));
  expect(running(waiting)).toEqual([]);
  expect(reasons(waiting)).toEqual([]);

  const arrived = step(after(situation, second, { clusterVersions: all('1.35.0') }));
  expect(running(arrived)).toEqual(['Rewrite']);
  expect(arrived.status.maintenance?.id).toBe(second.status.maintenance?.id);
  const last = step(afterIts(situation, arrived, { clusterVersions: all('1.35.0') }));
  expect(done(last.status)).toBe('clear Rewrite');
});

test('a wish to turn the feature comes first, and the tasks go on from where they were', () => {
  const situation = asked('1.35');
  const first = step(situation);
  const turned = step(after(situation, first, { spec: { ...situation.spec, desired: 'Off' } }));
  expect(turned.status.state).toBe('TurningOff');
  expect(running(turned)).toEqual(['CheckDependents']);
  expect(turned.status.maintenance).toEqual(first.status.maintenance);

  const stale = { transition: first.status.maintenance?.id ?? '', task: 'clear', outcome: { kind: 'done' } } as const;
  const told = step({ ...after(situation, turned), spec: { ...situation.spec, desired: 'Off' }, report: stale });
  expect(done(told.status)).toBe('');
});

test('tasks that change objects wait for consent to exactly this plan', () => {
  const manual = { cleanup: 'Manual', status: aSituation('On').status } as const;
  const held = step(asked('1.35', manual));
  expect(running(held)).toEqual([]);
  expect(condition(held.status, 'Blocked')).toBe('True NeedsApproval');
  const { plan } = held.status.maintenance ?? {};

  const agree = (plan = '') => {
    const situation = asked('1.35', manual);
    return step({ ...after(situation, held), spec: { ...situation.spec, consent: aConsent(plan) } });
  };
  expect(running(agree(plan))).toEqual(['clear']);
  expect(running(agree('00000000'))).toEqual([]);
});

test('a new request starts what was done over, under another plan', () => {
  const situation = asked('1.35');
  const prepared = step(afterIts(situation, step(situation)));
  const again = { ...situation.spec, targetRequest: 'once more' };
  const { status, ...taken } = step({ ...after(situation, prepared), newId: '8-efgh', spec: again });
  expect([open(status), done(status)]).toEqual(['clear', '']);
  expect(running({ status, ...taken })).toEqual(['clear']);
  expect(status.maintenance?.plan).not.toBe(prepared.status.maintenance?.plan);
  expect(status.maintenance?.backup).toBe(prepared.status.maintenance?.backup);
});

test('another target has another plan, and nothing of the one before counts for it', () => {
  const situation = asked('1.35');
  const prepared = step(afterIts(situation, step(situation)));
  const further = step({
    ...after(situation, prepared),
    newId: '8-efgh',
    spec: { ...situation.spec, targetVersion: '1.36' },
  });
  expect(open(further.status)).toBe('clear Later');
  expect(done(further.status)).toBe('');
});

test.each([
  ['not requested', asked(undefined)],
  ['nothing is declared for the way', asked('1.36', { clusterVersions: all('1.36.0') })],
  ['the version is not known', asked('1.35', { clusterVersions: undefined })],
])('nothing is done where %s', (_, situation) => {
  expect(step(situation).status.maintenance).toBeUndefined();
});

test('a process that disagrees holds nothing up: the state stays, and so do the tasks', () => {
  const taken = step(asked('1.35', { uses: counts('1/0/0 1/1/0 1/0/0') }));
  expect(running(taken)).toEqual(['clear']);
});

// oldest and newest API server | target | the version that is left
test.each([
  ['1.34.2', '1.34.2', '1.35', '1.34'],
  ['1.34.2', '1.34.2', '1.33', '1.34'],
  ['1.34.2', '1.35.0', '1.35', '1.34'],
  ['1.34.2', '1.35.0', '1.34', '1.35'],
  ['1.34.2', '1.35.0', '1.36', '1.34'],
  ['1.34.2', '1.35.0', '1.33', '1.35'],
])('while API servers run %s to %s, the way to %s begins at %s', (oldest, newest, to, from) => {
  expect(versionToLeave({ oldest, newest }, to)).toBe(from);
});

test('in the middle of a rolling way back, what is due after it waits for the newest API server', () => {
  const back: DefinedTasks = { downgrade: [{ from: '1.35', to: '1.34', kind: 'Rewrite', when: 'After' }] };
  const known = { spec: { ...aDefinition, tasks: back }, digest: 'definition', revision: 'u1/1', problems: [] };
  const at = (oldest: string, newest: string) =>
    asked('1.34', { definition: known, clusterVersions: { oldest, newest } });
  const mixed = step(at('1.34.2', '1.35.0'));
  expect([mixed.status.maintenance?.from, open(mixed.status)]).toEqual(['1.35', '']);
  expect(running(step({ ...at('1.34.2', '1.34.2'), status: mixed.status }))).toEqual(['Rewrite']);
});

test.each<[string, DefinedTasks, string]>([
  [
    'the definition has another task for the same way',
    { upgrade: [...(tasks.upgrade ?? []), { from: '1.34', to: '1.35', kind: 'New' }] },
    '1.35.0',
  ],
  [
    'the cluster goes further, and the definition has tasks for the way back',
    { downgrade: [{ from: '1.36', to: '1.35', kind: 'Back' }] },
    '1.36.0',
  ],
])('a target that was reached starts nothing when %s, until it is asked for anew', (_when, changed, version) => {
  const reached = all('1.35.0');
  const situation = asked('1.35', { definition: { spec: definition, digest: 'd', revision: 'u1/1', problems: [] } });
  const first = step(situation);
  const second = step(afterIts(situation, first));
  const third = step(after(situation, second, { clusterVersions: reached }));
  expect([running(third), third.status.targetReached]).toEqual([['Rewrite'], undefined]);
  const fourth = step(afterIts(situation, third, { clusterVersions: reached }));
  const arrived = step(after(situation, fourth, { clusterVersions: reached }));
  expect(arrived.status.targetReached).toBe('1.35');

  const edited = { spec: { ...definition, tasks: changed }, digest: 'e', revision: 'u1/2', problems: [] };
  const later = { clusterVersions: all(version), definition: edited };
  const still = step(after(situation, arrived, later));
  expect([running(still), reasons(still)]).toEqual([[], []]);
  const again = step(after(situation, still, { ...later, spec: { ...situation.spec, targetRequest: 'again' } }));
  expect(running(again)).toHaveLength(1);
});
