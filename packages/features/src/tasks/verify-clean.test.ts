import { expect, test } from 'vitest';
import { aCluster } from '../testing/a-cluster.js';
import { aDefinition } from '../testing/a-situation.js';
import { aTaskContext } from '../testing/a-task-context.js';
import { verifyClean } from './verify-clean.js';

test('verifyClean() looks at nothing before the guard has settled: a write may still be under way', async () => {
  const cluster = aCluster();
  const run = (checkpoint?: string) => {
    const context = aTaskContext(
      { kind: 'VerifyClean', ...(checkpoint && { checkpoint }) },
      { kube: cluster.kube, clock: cluster.clock, definition: aDefinition },
    );
    const guard = { policies: ['p'], activeSince: new Date(60_000).toISOString(), verifiedReplicas: 1 };
    return verifyClean(5_000).run({ ...context, feature: { ...context.feature, status: { guard } } });
  };
  await cluster.clock.advance(20_000 - cluster.clock.now());
  expect(await run()).toMatchObject({ kind: 'waiting', reason: 'GuardSettling', retryAfterMs: 40_000 });
  expect(cluster.api.requests).toEqual([]);
  await cluster.clock.advance(40_000);
  const first = await run();
  expect(first).toMatchObject({ kind: 'waiting', reason: 'Confirming', checkpoint: new Date(60_000).toISOString() });
  await cluster.clock.advance(5_000);
  expect(await run(new Date(60_000).toISOString())).toMatchObject({ kind: 'done', dangling: { count: 0 } });
});
