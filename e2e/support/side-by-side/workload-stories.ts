import fc from 'fast-check';
import { handScheduler } from './hand-kubelet.js';
import { type Act, create, kubectl } from './side.js';

const podSpec = (restartPolicy: string) => ({
  schedulerName: handScheduler,
  restartPolicy,
  terminationGracePeriodSeconds: 1,
  containers: [{ name: 'main', image: 'registry.example/app:1' }],
});
const template = (app: string) => ({ metadata: { labels: { app } }, spec: podSpec('Always') });
const selecting = (app: string) => ({ selector: { matchLabels: { app } }, template: template(app) });
const patch = (what: string, spec: object): Act => ({
  words: ['patch', ...what.split(' '), '--type=merge', '-p', JSON.stringify({ spec })],
});
const few = fc.integer({ min: 0, max: 3 });
const image = fc.integer({ min: 1, max: 3 }).map((tag) => `main=registry.example/app:${tag}`);

const deployment = fc
  .record({
    replicas: few,
    strategy: fc.constantFrom({ type: 'RollingUpdate' }, { type: 'Recreate' }, rolling('50%', 0), rolling(0, 2)),
    minReadySeconds: fc.constantFrom(0, 1),
    revisionHistoryLimit: few,
  })
  .map((spec) => create('apps/v1', 'Deployment', 'web', { ...spec, ...selecting('web') }));

function rolling(maxSurge: number | string, maxUnavailable: number) {
  return { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
}

const toDeployment = fc.oneof(
  image.map((text) => kubectl(`set image deployment/web ${text}`)),
  few.map((replicas) => kubectl(`scale deployment/web --replicas=${replicas}`)),
  fc.constantFrom('undo', 'pause', 'resume').map((verb) => kubectl(`rollout ${verb} deployment/web`)),
  few.map((value) => kubectl(`set env deployment/web LEVEL=${value}`)),
  fc.constant(kubectl('delete pods -l app=web --wait=false')),
  fc
    .constantFrom('orphan', 'background', 'foreground')
    .map((how) => kubectl(`delete deployment/web --cascade=${how} --wait=false`)),
);

const statefulSet = fc
  .record({
    replicas: few,
    podManagementPolicy: fc.constantFrom('OrderedReady', 'Parallel'),
    updateStrategy: fc.constantFrom(
      { type: 'OnDelete' },
      { type: 'RollingUpdate' },
      { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
    ),
    ordinals: fc.constantFrom(undefined, { start: 2 }),
  })
  .map((spec) => create('apps/v1', 'StatefulSet', 'db', { ...spec, serviceName: 'db', ...selecting('db') }));

const toStatefulSet = fc.oneof(
  image.map((text) => kubectl(`set image statefulset/db ${text}`)),
  few.map((replicas) => kubectl(`scale statefulset/db --replicas=${replicas}`)),
  fc.constant(kubectl('rollout undo statefulset/db')),
  fc.constant(kubectl('delete pods -l app=db --wait=false')),
  fc.constantFrom('orphan', 'background').map((how) => kubectl(`delete statefulset/db --cascade=${how} --wait=false`)),
);

const daemonSet = fc.constant(create('apps/v1', 'DaemonSet', 'agent', selecting('agent')));
const toDaemonSet = fc.oneof(
  image.map((text) => kubectl(`set image daemonset/agent ${text}`)),
  fc.constant(patch('daemonset agent', { template: { spec: { nodeSelector: { disk: 'ssd' } } } })),
  fc.constant(kubectl('delete pods -l app=agent --wait=false')),
);

const job = fc
  .record({
    completions: fc.integer({ min: 1, max: 3 }),
    parallelism: few,
    completionMode: fc.constantFrom('NonIndexed', 'Indexed'),
    suspend: fc.boolean(),
  })
  .map((spec) => create('batch/v1', 'Job', 'task', { ...spec, template: { spec: podSpec('Never') } }));
const toJob = fc.oneof(
  fc.boolean().map((suspend) => patch('job task', { suspend })),
  few.map((parallelism) => patch('job task', { parallelism })),
  fc.constantFrom('orphan', 'background').map((how) => kubectl(`delete job task --cascade=${how} --wait=false`)),
);

const cronJob = fc.constant(
  create('batch/v1', 'CronJob', 'nightly', {
    schedule: '0 0 1 1 *',
    jobTemplate: { spec: { template: { spec: podSpec('Never') } } },
  }),
);
const toCronJob = fc.constant(kubectl('create job by-hand --from=cronjob/nightly'));

const beside = fc.oneof(
  fc
    .constantFrom({ minAvailable: 1 }, { maxUnavailable: 1 }, { minAvailable: '50%' }, { maxUnavailable: '0%' })
    .map((spec) =>
      create('policy/v1', 'PodDisruptionBudget', 'web', { ...spec, selector: { matchLabels: { app: 'web' } } }),
    ),
  fc
    .constantFrom({}, { clusterIP: 'None' }, { publishNotReadyAddresses: true })
    .map((spec) => create('v1', 'Service', 'web', { ...spec, selector: { app: 'web' }, ports: [{ port: 80 }] })),
);

function storyOf(first: fc.Arbitrary<Act>, then: fc.Arbitrary<Act>): fc.Arbitrary<readonly Act[]> {
  return fc.tuple(first, fc.array(then, { minLength: 2, maxLength: 4 })).map(([one, more]) => [one, ...more]);
}

/** The story of one workload: how it is made, and what is done to it then. */
export const workloadStory: fc.Arbitrary<readonly Act[]> = fc.oneof(
  {
    weight: 3,
    arbitrary: storyOf(deployment, fc.oneof({ weight: 4, arbitrary: toDeployment }, { weight: 1, arbitrary: beside })),
  },
  { weight: 2, arbitrary: storyOf(statefulSet, toStatefulSet) },
  { weight: 1, arbitrary: storyOf(daemonSet, toDaemonSet) },
  { weight: 2, arbitrary: storyOf(job, toJob) },
  { weight: 1, arbitrary: storyOf(cronJob, toCronJob) },
);
