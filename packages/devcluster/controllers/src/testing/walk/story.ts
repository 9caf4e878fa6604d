import type { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { type Kube, type KubeObject, type ResourceRef, StatusError } from '@slipway/kube';
import { daemonSets } from '@slipway/kube-objects/kinds/api/daemon-sets';
import { jobs } from '@slipway/kube-objects/kinds/api/jobs';
import { type Node, nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { isActive, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { deployments, statefulSets } from '@slipway/kube-objects/kinds/api/workloads';
import type { NodeNetwork } from '@slipway/simulated-kubelet/node/node-network';
import fc from 'fast-check';
import { type FaultyApi, noFaults } from './faulty-api.js';
import type { Laws } from './laws.js';
import { type JobKind, jobKinds, jobOf, storyTaint, template } from './objects.js';

/** What a user does to the cluster, or what befalls it. */
export const stepKinds = [
  'scale web',
  'roll web',
  'pause web',
  'resume web',
  'roll anew',
  'scale db',
  'roll db',
  'partition db',
  'roll ring',
  'partition ring',
  'roll agent',
  'roll probe',
  'delete db pod',
  'delete ring pod',
  'delete agent pod',
  'delete job pod',
  'drain',
  'cordon',
  'uncordon',
  'taint',
  'untaint',
  'cut n3 off',
  'mend',
  'stop the kubelet of n3',
  'start it',
  'crowd',
  'push in',
  'leave',
  'begin a job',
  'suspend a job',
  'resume jobs',
  'rough times',
  'calm',
  'break watches',
  'restart controllers',
  'restart scheduler',
] as const;

/** One of them, and for how long nothing else happens after it, in milliseconds. */
export interface Step {
  readonly kind: (typeof stepKinds)[number];
  readonly number: number;
  readonly restMs: number;
}

export const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...stepKinds),
  number: fc.nat(99),
  restMs: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 2_000 }) },
    { weight: 2, arbitrary: fc.integer({ min: 2_000, max: 15_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 15_000, max: 90_000 }) },
  ),
});

/** What a story is played on. */
export interface Stage {
  readonly cluster: Awaited<ReturnType<typeof aCluster>>;
  readonly network: NodeNetwork;
  readonly api: FaultyApi;
  readonly laws: Laws;
}

/** Takes one step. What has to wait for components is left to them, and to time. */
export async function take({ cluster, network, api, laws }: Stage, { kind, number }: Step): Promise<unknown> {
  const { kube } = cluster;
  const ref = (name: string) => ({ namespace: 'default', name });
  const change = (of: ResourceRef, name: string, spec: object) => kube.resource(of).merge(ref(name), { spec });
  const rolled = { template: { metadata: { annotations: { step: String(number % 10) } } } };
  const node = { name: `n${(number % 3) + 1}` };
  const one = <T>(all: readonly T[]): T | undefined => all[number % Math.max(1, all.length)];
  const living = (app: string) => laws.pods().filter((pod) => isActive(pod) && pod.metadata.labels?.app === app);
  const remove = async (app: string) => {
    const pod = one(living(app));
    if (pod) await unlessGone(kube.resource(pods).delete(ref(pod.metadata.name ?? '')));
  };
  switch (kind) {
    case 'scale web':
      laws.scaled((number % 5) + 1);
      return change(deployments, 'web', { replicas: (number % 5) + 1 });
    case 'roll web':
      return change(deployments, 'web', rolled);
    case 'pause web':
      return change(deployments, 'web', { paused: true });
    case 'resume web':
      return change(deployments, 'web', { paused: null });
    case 'roll anew':
      return change(deployments, 'anew', rolled);
    case 'scale db':
      return change(statefulSets, 'db', { replicas: number % 4 });
    case 'roll db':
      return change(statefulSets, 'db', rolled);
    case 'partition db':
      return change(statefulSets, 'db', { updateStrategy: { rollingUpdate: { partition: number % 3 } } });
    case 'roll ring':
      return change(statefulSets, 'ring', rolled);
    case 'partition ring':
      return change(statefulSets, 'ring', { updateStrategy: { rollingUpdate: { partition: number % 3 } } });
    case 'roll agent':
      return change(daemonSets, 'agent', rolled);
    case 'roll probe':
      return change(daemonSets, 'probe', rolled);
    case 'delete db pod':
      return remove('db');
    case 'delete ring pod':
      return remove('ring');
    case 'delete agent pod':
      return remove('agent');
    case 'delete job pod':
      return remove('job');
    case 'drain':
      await change(nodes, node.name, { unschedulable: true });
      return Promise.all(
        ['shop', 'db', 'anew']
          .flatMap(living)
          .filter((pod) => pod.spec.nodeName === node.name)
          .map((pod) => evict(kube, pod)),
      );
    case 'cordon':
      return kube.resource(nodes).merge(node, { spec: { unschedulable: true } });
    case 'uncordon':
      return kube.resource(nodes).merge(node, { spec: { unschedulable: null } });
    case 'taint':
      return setTaint(kube, node.name, true);
    case 'untaint':
      return setTaint(kube, node.name, false);
    case 'cut n3 off':
      return network.cut('n3');
    case 'mend':
      return network.mend('n3');
    case 'stop the kubelet of n3':
      return cluster.stopKubelet('n3');
    case 'start it':
      return cluster.startKubelet('n3');
    case 'crowd':
      return crowd(kube, `crowd-${number}`, {});
    case 'push in':
      return crowd(kube, `pushy-${number}`, { priorityClassName: 'pushy' });
    case 'leave':
      return remove('crowd');
    case 'begin a job': {
      const job = jobOf(one(Object.keys(jobKinds)) as JobKind, `job-${number}`);
      return unlessThere(kube.resource(jobs).create(job as never));
    }
    case 'suspend a job': {
      const job = one(laws.jobs().filter(({ metadata }) => metadata.labels?.kind));
      return job && unlessGone(kube.resource(jobs).merge(ref(job.metadata.name ?? ''), { spec: { suspend: true } }));
    }
    case 'resume jobs':
      return resumeJobs(kube, laws);
    case 'rough times':
      laws.rough();
      api.faults = { fails: (number % 10) / 20, losesAnswer: (number % 4) / 20, slow: (number % 5) / 10 };
      return undefined;
    case 'calm':
      api.faults = noFaults;
      return undefined;
    case 'break watches':
      return api.breakWatches();
    case 'restart controllers':
      return cluster.restartControllers();
    case 'restart scheduler':
      return cluster.restartScheduler();
  }
}

/** Undoes whatever keeps the cluster from coming to rest. */
export async function putRight({ cluster, network, api, laws }: Stage): Promise<void> {
  const { kube } = cluster;
  api.faults = noFaults;
  network.mend('n3');
  await cluster.startKubelet('n3');
  for (const name of ['n1', 'n2', 'n3']) {
    await kube.resource(nodes).merge({ name }, { spec: { unschedulable: null } });
    await setTaint(kube, name, false);
  }
  await kube.resource(deployments).merge({ namespace: 'default', name: 'web' }, { spec: { paused: null } });
  await resumeJobs(kube, laws);
  const crowded = laws.pods().filter((pod) => isActive(pod) && pod.metadata.labels?.app === 'crowd');
  for (const { metadata } of crowded) {
    await unlessGone(kube.resource(pods).delete({ namespace: 'default', name: metadata.name ?? '' }));
  }
}

async function resumeJobs(kube: Kube, laws: Laws): Promise<void> {
  for (const { metadata, spec } of laws.jobs().filter((job) => job.spec.suspend)) {
    const ref = { namespace: metadata.namespace, name: metadata.name ?? '' };
    if (spec.suspend) await unlessGone(kube.resource(jobs).merge(ref, { spec: { suspend: false } }));
  }
}

/** Four pods that fill a node, of which not all may find room. */
async function crowd(kube: Kube, prefix: string, spec: object): Promise<void> {
  const {
    metadata: { labels },
    spec: podSpec,
  } = template('crowd', '1', spec);
  const create = (index: number) =>
    kube.resource(pods).create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name: `${prefix}-${index}`, labels },
      spec: podSpec,
    });
  await Promise.all([0, 1, 2, 3].map((index) => unlessThere(create(index))));
}

async function evict(kube: Kube, { metadata: { name = '', namespace = '' } }: Pod): Promise<void> {
  const body: KubeObject = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  const { status } = await kube.transport.request({ method: 'POST', path, body });
  if (![201, 404, 429].includes(status)) throw new Error(`an eviction was answered with ${status}`);
}

function setTaint(kube: Kube, name: string, isOn: boolean): Promise<Node> {
  return kube.resource(nodes).mutate({ name }, (node) => {
    const others = node.spec?.taints?.filter(({ key }) => key !== storyTaint.key) ?? [];
    node.spec = { ...node.spec, taints: isOn ? [...others, storyTaint] : others };
  });
}

const unlessGone = (done: Promise<unknown>) => unless(404, done);
const unlessThere = (done: Promise<unknown>) => unless(409, done);

async function unless(code: number, done: Promise<unknown>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== code) throw error;
  }
}
