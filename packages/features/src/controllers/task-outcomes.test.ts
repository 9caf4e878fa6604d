import { failureStatus, type KubeRequest, StatusError } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Feature } from '../api/feature.js';
import { FeatureDefinition, type FeatureDefinitionSpec } from '../api/feature-definition.js';
import { featureStatus } from '../api/feature-schema.js';
import { apiVersion } from '../api/group.js';
import { previewChange } from '../operations/preview-change.js';
import { requestChange } from '../operations/request-change.js';
import { registerTask } from '../tasks/register-task.js';
import type { Task } from '../tasks/task.js';
import { webhookTask } from '../tasks/webhook.js';
import { aCluster } from '../testing/a-cluster.js';
import { schemaProblem } from '../testing/schema-problem.js';
import { serve } from '../testing/serve.js';

const gate = 'Widgets';
const ref = { name: 'widgets', namespace: 'kube-system' };
const definition: FeatureDefinitionSpec = {
  gate,
  components: [{ name: 'server', roster: 'Self' }],
  dynamic: 'Live',
  cleanup: 'Automatic',
  tasks: { off: [{ kind: 'Outside', args: { name: 'drain' }, phase: 'BeforePublish' }] },
};

/** A cluster with a feature server and a definition. */
async function served(
  spec: FeatureDefinitionSpec,
  tasks: readonly Task[],
  before: (request: KubeRequest) => void = () => {},
) {
  const cluster = aCluster();
  const stop = serve(cluster.client(before), { tasks });
  const made = { apiVersion, kind: 'FeatureDefinition', metadata: { ...ref }, spec };
  await cluster.kube.resource(FeatureDefinition).create(made);
  return { ...cluster, stop };
}

/** Turns a feature off whose one task is `task`, lets three minutes pass, and gives every status that was written. */
async function played(task: Task, before?: (request: KubeRequest) => void) {
  const cluster = await served(definition, [{ ...task, kind: 'Outside', destructive: false }], before);
  cluster.processes({ component: 'server', instance: 'one', gate, value: true, pinned: false });
  await cluster.until(() => cluster.feature(ref.name)?.status?.state === 'On');
  const preview = await previewChange(cluster.kube, cluster.feature(ref.name) as Feature, 'Off');
  await requestChange(cluster.kube, preview, { consent: false });
  const statuses: Feature['status'][] = [];
  for (let passedMs = 0; passedMs < 180_000; passedMs += 1_000) {
    await cluster.clock.advance(1_000);
    statuses.push(cluster.feature(ref.name)?.status);
  }
  await cluster.stop();
  const last = statuses.at(-1);
  return { statuses, last, head: last?.transition?.tasks[0] };
}

const scalar = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constant(null));
const answer = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.record(
    {
      phase: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('Running', 'Blocked', 'Running', 'Done') }, scalar),
      message: fc.oneof(fc.string({ maxLength: 2_000 }), scalar),
      progress: fc.oneof(
        scalar,
        fc.record(
          { done: fc.oneof(fc.nat(), scalar), total: fc.oneof(fc.nat(), scalar), unit: scalar },
          { requiredKeys: [] },
        ),
      ),
      checkpoint: fc.oneof(fc.string({ maxLength: 1_500 }), scalar),
    },
    { requiredKeys: ['phase'] },
  ),
);

test('whatever a webhook answers, the status fits its schema, and calls are bounded', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 4 }), async (answers) => {
      let calls = 0;
      const post = async () => ({ status: 200, body: answers[calls++ % answers.length] as unknown });
      const { statuses } = await played(webhookTask({ drain: { url: 'https://hooks.example' } }, post));
      for (const status of statuses) expect(schemaProblem(featureStatus, status)).toBeUndefined();
      // Running is asked again after 15 s, and a failure after a second at the soonest, later each time.
      expect(calls).toBeLessThanOrEqual(26);
    }),
    { numRuns: 40 },
  );
}, 120_000);

// what an author's task gives | what the status says of it
const results: [string, unknown, RegExp][] = [
  ['nothing', undefined, /phase of Done, Running or Blocked, not undefined/],
  ['no message', { phase: 'Running' }, /message is missing/],
  ['a time that is none', { phase: 'Running', message: 'm', retryAfterMs: Number.NaN }, /retryAfterMs must be/],
  ['progress that is none', { phase: 'Running', message: 'm', progress: { done: 'x' } }, /progress must be/],
];
test.each(results)(
  'a task of an author that gives %s is a failure that the status tells',
  async (_what, result, told) => {
    let runs = 0;
    const { statuses, head } = await played(
      registerTask('Outside', async () => {
        runs++;
        return result as { phase: 'Done' };
      }),
    );
    for (const status of statuses) expect(schemaProblem(featureStatus, status)).toBeUndefined();
    expect(head?.message).toMatch(told);
    expect(runs).toBeLessThanOrEqual(10);
  },
);

test('a person is told of a webhook that keeps answering garbage, and when it is tried again', async () => {
  let calls = 0;
  const post = async () => {
    calls++;
    return { status: 200, body: { phase: 'Running', progress: { done: 'many' } } };
  };
  const { last, head } = await played(webhookTask({ drain: { url: 'https://hooks.example' } }, post));
  expect(head).toMatchObject({ phase: 'Blocked', reason: 'TaskFailed', attempts: calls });
  expect(head?.message).toContain('progress must be');
  expect(head?.retryTime).toBeDefined();
  expect(last?.conditions?.find(({ type }) => type === 'Blocked')).toMatchObject({
    status: 'True',
    reason: 'TaskFailed',
  });
  expect(calls).toBeLessThanOrEqual(9);
});

/** What an API server answers to a write of this status. */
function failing(code: number, of: (body: string) => boolean) {
  return ({ method, path, body }: KubeRequest) => {
    if (method !== 'PATCH' || !path.includes('/features/') || !of(JSON.stringify(body ?? null))) return;
    throw new StatusError(
      failureStatus({ code, reason: 'Invalid', message: 'status.transition.tasks: Invalid value' }),
    );
  };
}

test('an outcome that the API server rejects is told as one, and is not tried in a loop', async () => {
  let runs = 0;
  const task = registerTask('Outside', async () => {
    runs++;
    return { phase: 'Running', message: 'a word that no status may hold' };
  });
  const { head } = await played(
    task,
    failing(422, (body) => body.includes('no status may hold')),
  );
  expect(head?.message).toContain(
    'the API server rejected the outcome of the task: status.transition.tasks: Invalid value',
  );
  expect(runs).toBeLessThanOrEqual(10);
});

test('a scan that fails is not repeated at each change', async () => {
  let scans = 0;
  const unscannable = ({ path }: KubeRequest) => {
    if (!path.includes('/acme.io/')) return;
    scans++;
    throw new StatusError(failureStatus({ code: 500, message: 'the storage is broken' }));
  };
  const references = [{ group: 'acme.io', resource: 'widgets', path: 'spec.fast' }];
  const cluster = await served({ ...definition, references, tasks: {} }, [], unscannable);
  cluster.processes({ component: 'server', instance: 'one', gate, value: false, pinned: false });
  await cluster.until(() => scans > 0);
  for (let round = 0; round < 180; round++) {
    await cluster.kube.resource(FeatureDefinition).merge(ref, { metadata: { labels: { round: `${round}` } } });
    await cluster.clock.advance(1_000);
  }
  await cluster.stop();
  expect(scans).toBeGreaterThan(1);
  expect(scans).toBeLessThanOrEqual(12);
});

test('a task is not run again and again while no status can be written', async () => {
  let runs = 0;
  const task = registerTask('Outside', async () => {
    runs++;
    return { phase: 'Running', message: 'still at it' };
  });
  await played(
    task,
    failing(507, (body) => body.includes('still at it')),
  );
  expect(runs).toBeGreaterThan(1);
  expect(runs).toBeLessThanOrEqual(10);
});
