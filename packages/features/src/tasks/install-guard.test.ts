import { failureStatus, Kube, type KubeObject, StatusError } from '@slipway/kube';
import { expect, test } from 'vitest';
import { ValidatingBinding, ValidatingPolicy } from '../api/admission-kinds.js';
import { aCluster } from '../testing/a-cluster.js';
import { aDefinition, startMs } from '../testing/a-situation.js';
import { aTaskContext } from '../testing/a-task-context.js';
import { installGuard, removeGuard } from './install-guard.js';

const example: KubeObject = {
  apiVersion: 'acme.io/v1',
  kind: 'Widget',
  metadata: { name: 'example', namespace: 'default' },
  spec: { fast: true },
};

/** A cluster with guards served. `lets` says whether a trial write is let in, the n-th from 0 on. */
function guardable(lets: (trial: number) => boolean) {
  const cluster = aCluster({ guards: true });
  let trials = 0;
  cluster.api.intercept((request) => {
    if (request.method !== 'POST' || !request.path.includes('dryRun=All') || lets(trials++)) return;
    const policy = cluster.api.stored(ValidatingPolicy)[0]?.metadata.name;
    const message = `ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request`;
    throw new StatusError(failureStatus({ reason: 'Invalid', code: 422, message }));
  });
  const task = { kind: 'InstallGuard', firstAttempt: new Date(startMs).toISOString() };
  const definition = { ...aDefinition, exercise: [example] };
  const run = (overrides: Parameters<typeof aTaskContext>[1] = {}) =>
    installGuard({ settleMs: 60_000 }).run(
      aTaskContext(task, { kube: cluster.kube, clock: cluster.clock, definition, ...overrides }),
    );
  const names = () => [ValidatingPolicy, ValidatingBinding].map((kind) => cluster.api.stored(kind).length);
  return { cluster, run, names };
}

test('installGuard() is done when three trial writes in a row were refused, and settles as long as a request may run', async () => {
  const { cluster, run, names } = guardable(() => false);
  const activeSince = new Date(cluster.clock.now() + 60_000).toISOString();
  const outcome = await run();
  expect(outcome).toMatchObject({ kind: 'done', objects: 1, guard: { verifiedReplicas: 1, activeSince } });
  expect(names()).toEqual([1, 1]);
  const trials = cluster.api.requests.filter(({ path }) => path.includes('dryRun=All'));
  // Where nothing is stored, and not where the example would be.
  expect(trials.map(({ path }) => path)).toEqual(
    Array(3).fill(expect.stringContaining('/namespaces/slipway-trials/widgets?')),
  );
});

test('installGuard() waits while one of the trial writes is let in', async () => {
  expect(await guardable((trial) => trial === 1).run()).toMatchObject({ kind: 'waiting', reason: 'GuardSettling' });
});

/** Trial writes of which some are refused. */
function failsAt(isSo: (trial: number) => boolean, code = 403, reason = 'Forbidden') {
  return (trial: number) => {
    if (isSo(trial)) throw new StatusError(failureStatus({ code, reason, message: 'no' }));
    return false;
  };
}

test('installGuard() does without the proof at once where the API server finds the example invalid', async () => {
  const invalid = guardable(failsAt(() => true, 422, 'Invalid'));
  expect(await invalid.run()).toMatchObject({ kind: 'done', guard: { verifiedReplicas: 0 } });
});

test('installGuard() tries again when a trial write fails for another reason, and does without the proof if that lasts', async () => {
  const once = guardable(failsAt((trial) => trial === 0));
  const waiting = { kind: 'waiting', reason: 'GuardSettling', message: expect.stringContaining('another reason') };
  expect(await once.run()).toMatchObject(waiting);
  expect(await once.run()).toMatchObject({ kind: 'done', guard: { verifiedReplicas: 1 } });

  const always = guardable(failsAt(() => true));
  expect(await always.run()).toMatchObject(waiting);
  await always.cluster.clock.advance(60_000);
  expect(await always.run()).toMatchObject({ kind: 'done', guard: { verifiedReplicas: 0 } });
});

test('installGuard() makes no guard, and says so, when the server was not given the right', async () => {
  const { cluster, run, names } = guardable(() => false);
  const denied = new Kube(
    {
      stream: (request, signal) => cluster.kube.transport.stream(request, signal),
      request: async (request) =>
        request.path.endsWith('/selfsubjectaccessreviews')
          ? { status: 201, headers: {}, body: { status: { allowed: false } } }
          : cluster.kube.transport.request(request),
    },
    { clock: cluster.clock },
  );
  expect(await run({ kube: denied })).toEqual({ kind: 'done', result: 'Skipped', guard: 'removed' });
  expect(names()).toEqual([0, 0]);
});

test('installGuard() takes over no policy of another feature', async () => {
  const { cluster, run } = guardable(() => false);
  await run();
  const [policy] = cluster.api.stored(ValidatingPolicy);
  const labels = { ...policy?.metadata.labels, 'features.slipway.dev/guard-namespace': 'kube-system' };
  const other = { ...policy, metadata: { ...policy?.metadata, labels } } as KubeObject;
  cluster.api.seed(ValidatingPolicy, other);
  expect(await run()).toMatchObject({ kind: 'blocked', reason: 'NotOurs' });
  expect(cluster.api.stored(ValidatingPolicy)[0]?.metadata.labels).toEqual(labels);
});

test('installGuard() claims nothing when no example can show it', async () => {
  const { run } = guardable(() => false);
  expect(await run({ definition: aDefinition })).toMatchObject({ kind: 'done', guard: { verifiedReplicas: 0 } });
});

test('installGuard() asks for a person when the API server does not know a path', async () => {
  const { cluster, run } = guardable(() => true);
  await run();
  const [policy] = cluster.api.stored(ValidatingPolicy) as [KubeObject];
  const warn = (field: string) => ({ warning: `ERROR: <input>:1:1: undefined field '${field}'` });
  cluster.api.seed(ValidatingPolicy, { ...policy, status: { typeChecking: { expressionWarnings: [warn('fast')] } } });
  // The guarded field itself is not published while its gate is off.
  expect(await run()).toMatchObject({ kind: 'waiting' });
  cluster.api.seed(ValidatingPolicy, { ...policy, status: { typeChecking: { expressionWarnings: [warn('spce')] } } });
  expect(await run()).toMatchObject({
    kind: 'blocked',
    reason: 'GuardRejected',
    message: expect.stringContaining('spce'),
  });
});

test('installGuard() makes none where none is wanted or served, and removes those that were', async () => {
  const { cluster, run, names } = guardable(() => false);
  await run();
  expect(await run({ spec: { guard: { mode: 'None' } } })).toMatchObject({ kind: 'done', guard: 'removed' });
  expect(names()).toEqual([0, 0]);
  expect(await run({ kube: aCluster().kube })).toMatchObject({ kind: 'done', result: 'Skipped', guard: 'removed' });
  expect(cluster.api.stored(ValidatingPolicy)).toEqual([]);
});

test('removeGuard() takes away what installGuard() made, and nothing of another feature', async () => {
  const { cluster, run, names } = guardable(() => false);
  await run();
  const [policy] = cluster.api.stored(ValidatingPolicy) as [KubeObject];
  const labels = { ...policy.metadata.labels, 'features.slipway.dev/guard': 'other' };
  cluster.api.seed(ValidatingPolicy, { ...policy, metadata: { ...policy.metadata, name: 'other', labels } });
  const context = aTaskContext({ kind: 'RemoveGuard' }, { kube: cluster.kube });
  expect(await removeGuard.run(context)).toEqual({ kind: 'done', guard: 'removed' });
  expect(names()).toEqual([1, 0]);
});
