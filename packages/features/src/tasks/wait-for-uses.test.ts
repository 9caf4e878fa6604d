import { expect, test } from 'vitest';
import type { ComponentUses, ProcessSample } from '../api/uses-status.js';
import { aCluster } from '../testing/a-cluster.js';
import { counts } from '../testing/a-situation.js';
import { aTaskContext } from '../testing/a-task-context.js';
import { verifyClean } from './verify-clean.js';
import { waitForUses } from './wait-for-uses.js';

function contextOf(uses: ReturnType<typeof counts>, waitedMs = 0, stragglersAfter?: string) {
  const cluster = aCluster({ sets: 2 });
  const firstAttempt = new Date(cluster.clock.now() - waitedMs).toISOString();
  const field = { group: 'apps', resource: 'statefulsets', path: 'spec.updateStrategy.rollingUpdate.maxUnavailable' };
  const context = aTaskContext(
    { kind: 't', firstAttempt },
    {
      kube: cluster.kube,
      clock: cluster.clock,
      spec: stragglersAfter ? { uses: { stragglersAfter } } : {},
      definition: { gate: 'Widgets', scope: 'Cluster', components: [], references: [field] },
      uses: () => uses,
    },
  );
  return { context, cluster };
}

function withSample(text: string, sample: ProcessSample) {
  const counted = counts(text);
  const components = counted.components.map(
    (one, index): ComponentUses => (index === 1 ? { ...one, samples: [sample] } : one),
  );
  return { ...counted, components };
}

const pinned = { process: 'agent.n1', value: 'on', cause: 'ExplicitFlag' } as const;
const away = { process: 'n2', value: 'silent', cause: 'NodeDown' } as const;

const elsewhere = { process: 'cp-1', value: 'silent', cause: 'OutOfReach' } as const;

// counts of server, agent, viewer | waited ms | outcome | what it says
const cases: [ReturnType<typeof counts>, number, string, string?][] = [
  [counts('0/1/0 0/2/0 0/1/0'), 0, 'done'],
  // The viewer is optional: shown, and not waited for.
  [counts('0/1/0 0/2/0 1/0/0'), 0, 'done'],
  [counts('0/1/0 0/2/0 0/0/1'), 0, 'done'],
  [counts('0/0/0 0/2/0 0/1/0'), 0, 'waiting Silent', 'server: no process has reported'],
  [
    withSample('0/1/0 0/1/1 0/1/0', away),
    0,
    'waiting Silent',
    'agent: 1 of 2 not off: n2 (silent, NodeDown). NodeDown: bring the node back, delete the Node',
  ],
  [
    withSample('0/1/0 0/1/1 0/1/0', elsewhere),
    59_999,
    'waiting Silent',
    'OutOfReach: it runs on no node of this cluster',
  ],
  [withSample('0/1/0 0/1/1 0/1/0', elsewhere), 60_000, 'blocked Stragglers', 'cp-1 (silent, OutOfReach). OutOfReach: '],
  // Another process may still report.
  [withSample('0/1/0 0/1/2 0/1/0', elsewhere), 60_000, 'waiting Silent'],
  [withSample('1/0/0 0/1/1 0/1/0', elsewhere), 60_000, 'waiting OldValueInUse'],
  [withSample('0/0/0 0/1/1 0/1/0', elsewhere), 60_000, 'waiting Silent'],
  [withSample('0/1/0 1/1/0 0/1/0', pinned), 0, 'waiting OldValueInUse', 'remove Widgets from its --feature-gates'],
  [withSample('0/1/0 1/1/0 0/1/0', pinned), 1_799_999, 'waiting OldValueInUse'],
  [
    withSample('0/1/0 1/1/0 0/1/0', pinned),
    1_800_000,
    'blocked Stragglers',
    'agent: 1 of 2 not off: agent.n1 (on, ExplicitFlag). ExplicitFlag: remove Widgets from its --feature-gates',
  ],
];
test.each(cases)('WaitForUses with %j after %i ms is %s', async (uses, waitedMs, expected, said = '') => {
  const outcome = await waitForUses.run(contextOf(uses, waitedMs).context);
  const { reason = '', message = '' } = outcome as { reason?: string; message?: string };
  expect(`${outcome.kind} ${reason}`.trim()).toBe(expected);
  expect(message).toContain(said);
});

test('WaitForUses calls stragglers after the time that the Feature says', async () => {
  const { context } = contextOf(withSample('0/1/0 1/1/0 0/1/0', pinned), 61_000, '1m');
  expect(await waitForUses.run(context)).toMatchObject({ kind: 'blocked', reason: 'Stragglers' });
});

test('VerifyClean needs two scans some time apart, with all processes still in agreement', async () => {
  const { context, cluster } = contextOf(counts('0/1/0 0/2/0 0/1/0'));
  const verify = verifyClean(5_000);
  const first = await verify.run(context);
  expect(first).toMatchObject({ kind: 'waiting', reason: 'Confirming', retryAfterMs: 5_000 });
  const { checkpoint = '' } = first as { checkpoint?: string };
  const again = (uses = context.uses()) =>
    verify.run({ ...context, uses: () => uses, task: { ...context.task, checkpoint } });
  await cluster.clock.advance(4_000);
  expect(await again()).toMatchObject({ kind: 'waiting', retryAfterMs: 1_000, checkpoint });
  await cluster.clock.advance(1_000);
  const back = await again(counts('0/1/0 1/1/0 0/1/0'));
  expect(back).toMatchObject({ kind: 'waiting', reason: 'OldValueInUse', checkpoint: '' });
  expect(await again()).toMatchObject({ kind: 'done', dangling: { count: 0, complete: true } });
});

test('VerifyClean does not count what only a copy still has, and reports it', async () => {
  const { context, cluster } = contextOf(counts('0/1/0 0/2/0 0/1/0'));
  const [set] = cluster.statefulSets();
  if (!set) throw new Error('no set');
  const applied = JSON.stringify({ spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } } });
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': applied };
  cluster.api.seed({ group: 'apps', plural: 'statefulsets' }, { ...set, metadata: { ...set.metadata, annotations } });
  const outcome = await verifyClean(0).run(context);
  expect(outcome).toMatchObject({ kind: 'done', dangling: { count: 0, copies: 1, samples: [{ via: 'LastApplied' }] } });
});
