import { expect, test } from 'vitest';
import type { UsesPolicy, Waiver } from '../api/feature.js';
import type { ProcessSample } from '../api/uses-status.js';
import { aCluster, aStatefulSet, statefulSets } from '../testing/a-cluster.js';
import { counts, startMs } from '../testing/a-situation.js';
import { aTaskContext } from '../testing/a-task-context.js';
import { verifyClean } from './verify-clean.js';
import { waitForNoObjects } from './wait-for-no-objects.js';
import { waitForUses } from './wait-for-uses.js';

// What a transition may leave behind, and how it says so.

const longAgo = new Date(startMs - 1_800_000).toISOString();
const proceed = { stragglerAction: 'Proceed' } as const;
const waiver: Waiver = {
  id: 'w-1',
  node: 'n2',
  reason: 'its disk is being replaced',
  by: 'anna',
  expires: '2026-01-08T00:00:00Z',
};

/** The agents are these; everything else is off. */
function agents(text: string, ...samples: ProcessSample[]) {
  const counted = counts(`0/1/0 ${text} 0/1/0`);
  return { ...counted, components: counted.components.map((one, at) => (at === 1 ? { ...one, samples } : one)) };
}

// agents on/off/silent/waived | is it late | policy | outcome
const cases: readonly (readonly [string, boolean, UsesPolicy, string])[] = [
  ['0/99/1', false, { ...proceed, maxSilent: '1%' }, 'waiting Silent'],
  ['0/99/1', true, { maxSilent: '1%' }, 'blocked Stragglers'],
  ['0/99/1', true, proceed, 'blocked Stragglers'],
  ['0/99/1', true, { ...proceed, maxSilent: '1%' }, 'done Waived'],
  ['0/98/2', true, { ...proceed, maxSilent: '1%' }, 'blocked Stragglers'],
  ['0/98/2', true, { ...proceed, maxSilent: 2 }, 'done Waived'],
  ['0/98/2', true, { ...proceed, maxSilent: '2' }, 'done Waived'],
  // Whoever says that it runs the old value is never passed over; nor is it enough that no process reports.
  ['1/98/1', true, { ...proceed, maxSilent: '100%' }, 'blocked Stragglers'],
  ['0/0/2', true, { ...proceed, maxSilent: '100%' }, 'blocked Stragglers'],
  ['0/98/1/1', true, { ...proceed, maxSilent: 1 }, 'done Waived'],
];
test.each(cases)('WaitForUses with agents %s, late %s, by %j is %s', async (text, isLate, policy, expected) => {
  const firstAttempt = isLate ? longAgo : new Date(startMs).toISOString();
  const context = aTaskContext(
    { kind: 'WaitForUses', firstAttempt },
    { spec: { uses: policy }, uses: () => agents(text) },
  );
  const { kind, ...rest } = (await waitForUses.run(context)) as { kind: string; reason?: string; result?: string };
  expect(`${kind} ${rest.reason ?? rest.result ?? ''}`.trim()).toBe(expected);
});

test('WaitForUses says whom it passed over, and by whose leave', async () => {
  const away = { process: 'n2', node: 'n2', value: 'silent', cause: 'NodeDown' } as const;
  const uses = () => agents('0/1/0/1', { ...away, waiver: 'w-1' });
  const context = aTaskContext({ kind: 'WaitForUses' }, { uses, spec: { waivers: [waiver] } });
  expect(await waitForUses.run(context)).toEqual({
    kind: 'done',
    result: 'Waived',
    note: 'agent: n2 (silent, NodeDown) waived (w-1, anna: its disk is being replaced)',
  });
});

test('WaitForUses counts stragglers by version, names some, and says what to do about each cause', async () => {
  const samples = [
    { process: 'agent.n1', value: 'on', cause: 'ExplicitFlag' },
    { process: 'n2', value: 'silent', cause: 'AgentMissing' },
  ] as const;
  const counted = agents('2/1/1', ...samples);
  const components = counted.components.map((one, at) =>
    at === 1
      ? {
          ...one,
          versions: [
            { v: '1.33.2', on: 2, off: 0 },
            { v: '1.34.0', on: 0, off: 1 },
          ],
        }
      : one,
  );
  const context = aTaskContext(
    { kind: 'WaitForUses', firstAttempt: longAgo },
    { uses: () => ({ ...counted, components }) },
  );
  expect(await waitForUses.run(context)).toMatchObject({
    kind: 'blocked',
    reason: 'Stragglers',
    message:
      'agent: 3 of 4 not off (1.33.2: 2 on): agent.n1 (on, ExplicitFlag), n2 (silent, AgentMissing). ' +
      'ExplicitFlag: remove Widgets from its --feature-gates, or set it to false. ' +
      'AgentMissing: the node lives and no agent reads it; see to its slipway-node-agent',
  });
});

const field = { group: 'apps', resource: 'statefulsets', path: 'spec.updateStrategy.rollingUpdate.maxUnavailable' };
const ofObject = (object: string) => ({ ...waiver, node: undefined, object }) as unknown as Waiver;

test.each([
  ['VerifyClean', verifyClean(0), {}],
  ['WaitForNoObjects', waitForNoObjects, { args: field }],
])('%s lets be what is waived, counts it as a use all the same, and nothing else', async (kind, task, more) => {
  const cluster = aCluster({ sets: 2 });
  cluster.api.seed(statefulSets, aStatefulSet(7, true));
  const run = (...objects: string[]) => {
    const definition = { gate: 'Widgets', scope: 'Cluster' as const, components: [], references: [field] };
    const { kube, clock } = cluster;
    const checkpoint = new Date(clock.now()).toISOString();
    const spec = { waivers: objects.map(ofObject) };
    return task.run(aTaskContext({ kind, checkpoint, ...more }, { kube, clock, definition, spec }));
  };
  expect((await run('statefulsets.apps/default/other')).kind).not.toBe('done');
  expect(await run('statefulsets.apps/default/set-0007')).toMatchObject({
    kind: 'done',
    result: 'Waived',
    note: '1 objects still use it: statefulsets.apps/default/set-0007',
    dangling: { count: 1, waived: 1 },
  });
});
