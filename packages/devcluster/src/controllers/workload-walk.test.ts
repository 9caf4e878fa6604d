import { InformerFactory, type Kube, type KubeObject, type ResourceRef, silentLog } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NodeNetwork } from '../kubelet/node-network.js';
import { amountsOfPod } from '../scheduler/amounts.js';
import { daemonSets } from './api/daemon-sets.js';
import { jobs } from './api/jobs.js';
import { nodes } from './api/nodes.js';
import { isFinished, isReady, isTerminating, pods } from './api/pods.js';
import { controllerRevisions, deployments, replicaSets, statefulSets } from './api/workloads.js';
import { aCluster } from './testing/a-cluster.js';

/** More of them by night: `SLIPWAY_WALKS=200`. */
const walks = Number(process.env.SLIPWAY_WALKS ?? 2);

const steps = [
  'scale web',
  'roll web',
  'scale db',
  'roll db',
  'roll agent',
  'delete db pod',
  'delete agent pod',
  'cordon',
  'uncordon',
  'cut n3 off',
  'mend',
  'crowd',
  'leave',
] as const;
const step = fc.record({
  kind: fc.constantFrom(...steps),
  number: fc.nat(9),
  restMs: fc.integer({ min: 0, max: 15_000 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Once controller and kubelet contradicted each other without end about the pods of a node that had come back. */
const lostAndFound: Step[] = [
  { kind: 'cut n3 off', number: 0, restMs: 10_687 },
  { kind: 'delete agent pod', number: 1, restMs: 23_125 },
  { kind: 'cordon', number: 8, restMs: 14_595 },
  { kind: 'mend', number: 0, restMs: 10_102 },
];

test('any story of workloads: nodes are never overfull, rollouts keep their bounds, and nothing is left behind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (story) => {
      const clock = new ManualClock();
      const network = new NodeNetwork();
      const delays = { startMs: 200, readyMs: 300, stopMs: 200 };
      await using cluster = await aCluster({ nodes: 3, clock, network, delays });
      const { kube } = cluster;
      await using watched = watch(kube);
      await createWorkloads(kube);
      await rest(clock, 10_000);
      watched.settled(3);
      for (const each of story) {
        await take(kube, network, watched, each);
        await rest(clock, each.restMs);
        expect(watched.broken()).toEqual([]);
      }
      watched.ended();
      network.mend('n3');
      await putRight(kube);
      await rest(clock, 60_000);
      expect(watched.broken()).toEqual([]);
      expect(await leftBehind(kube, clock)).toEqual([]);
    }),
    { numRuns: walks, endOnFailure: true, examples: [[lostAndFound]] },
  );
}, 120_000);

const selector = (app: string) => ({ matchLabels: { app } });
const template = (app: string, cpu: string) => ({
  metadata: { labels: { app } },
  spec: {
    containers: [{ name: 'main', image: 'image', resources: { requests: { cpu } } }],
    terminationGracePeriodSeconds: 1,
  },
});

const notOn = (name: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: [name] }] }],
    },
  },
});

async function createWorkloads(kube: Kube): Promise<void> {
  const apps = 'apps/v1';
  const at = (name: string) => ({ namespace: 'default', name });
  const make = <T extends KubeObject>(ref: ResourceRef<T>, object: object) => kube.resource(ref).create(object as T);
  const web = template('web', '500m');
  await make(deployments, {
    apiVersion: apps,
    kind: 'Deployment',
    metadata: at('web'),
    spec: {
      replicas: 3,
      selector: selector('web'),
      // Not where the network fails: what is lost there says nothing about rollouts.
      template: { ...web, spec: { ...web.spec, affinity: notOn('n3') } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    },
  });
  await make(statefulSets, {
    apiVersion: apps,
    kind: 'StatefulSet',
    metadata: at('db'),
    spec: { replicas: 2, serviceName: 'db', selector: selector('db'), template: template('db', '500m') },
  });
  await make(daemonSets, {
    apiVersion: apps,
    kind: 'DaemonSet',
    metadata: at('agent'),
    spec: { selector: selector('agent'), template: template('agent', '100m') },
  });
}

async function take(kube: Kube, network: NodeNetwork, watched: ReturnType<typeof watch>, { kind, number }: Step) {
  const ref = (name: string) => ({ namespace: 'default', name });
  const rolled = { spec: { template: { metadata: { annotations: { step: String(number) } } } } };
  const node = { name: `n${(number % 3) + 1}` };
  const remove = async (app: string) => {
    const own = watched.live().filter((pod) => pod.metadata.labels?.app === app);
    const pod = own[number % Math.max(1, own.length)];
    if (pod) await kube.resource(pods).delete(ref(pod.metadata.name ?? ''));
  };
  switch (kind) {
    case 'scale web':
      watched.scaled((number % 5) + 1);
      return kube.resource(deployments).merge(ref('web'), { spec: { replicas: (number % 5) + 1 } });
    case 'roll web':
      return kube.resource(deployments).merge(ref('web'), rolled);
    case 'scale db':
      return kube.resource(statefulSets).merge(ref('db'), { spec: { replicas: number % 4 } });
    case 'roll db':
      return kube.resource(statefulSets).merge(ref('db'), rolled);
    case 'roll agent':
      return kube.resource(daemonSets).merge(ref('agent'), rolled);
    case 'delete db pod':
      return remove('db');
    case 'delete agent pod':
      return remove('agent');
    case 'cordon':
      return kube.resource(nodes).merge(node, { spec: { unschedulable: true } });
    case 'uncordon':
      return kube.resource(nodes).merge(node, { spec: { unschedulable: null } });
    case 'cut n3 off':
      return network.cut('n3');
    case 'mend':
      return network.mend('n3');
    case 'crowd': {
      const crowd = Array.from({ length: 4 }, (_, index) => `crowd-${number}-${index}`);
      const create = (name: string) =>
        kube.resource(pods).create({
          apiVersion: 'v1',
          kind: 'Pod',
          ...template('crowd', '1'),
          metadata: { ...ref(name), labels: { app: 'crowd' } },
        });
      return Promise.allSettled(crowd.map(create));
    }
    case 'leave':
      return remove('crowd');
  }
}

/** Follows all pods and notes what must not be, at every single change. */
function watch(kube: Kube) {
  const informers = new InformerFactory(kube, { log: silentLog });
  const informer = informers.informer(pods);
  const broken = new Set<string>();
  let [fewest, most, isSettled] = [0, 0, false];
  informer.onChange(() => {
    const all = informer.lister.list();
    const running = all.filter((pod) => !isFinished(pod));
    for (const [name, cpu] of sum(running, (pod) => [pod.spec.nodeName ?? '', amountsOfPod(pod).get('cpu') ?? 0])) {
      if (name !== '' && cpu > 4_000) broken.add(`${cpu} millicpu on ${name}`);
    }
    const staying = running.filter((pod) => !isTerminating(pod));
    const agents = staying.filter((pod) => pod.metadata.labels?.app === 'agent');
    for (const [name, count] of sum(agents, (pod) => [pod.spec.nodeName ?? '', 1])) {
      if (name !== '' && count > 1) broken.add(`${count} agents on ${name}`);
    }
    if (!isSettled) return;
    const web = staying.filter((pod) => pod.metadata.labels?.app === 'web');
    if (web.length > most + 1) broken.add(`${web.length} of web, for ${most}`);
    const serving = web.filter(isReady).length;
    if (serving < fewest - 1) broken.add(`${serving} of web serve, of ${fewest}`);
  });
  informers.start();
  return {
    broken: () => [...broken],
    live: () => informer.lister.list().filter((pod) => !isTerminating(pod)),
    settled(replicas: number) {
      [fewest, most, isSettled] = [replicas, replicas, true];
    },
    /** From now on workloads are taken away: their bounds no longer count. */
    ended() {
      isSettled = false;
    },
    /** Until all is well again the bounds are those of the fewest and of the most replicas asked for since. */
    scaled(replicas: number) {
      [fewest, most] = [Math.min(fewest, replicas), Math.max(most, replicas)];
    },
    [Symbol.asyncDispose]: () => informers.stop(),
  };
}

function sum<T>(items: readonly T[], entry: (item: T) => readonly [string, number]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [key, amount] of items.map(entry)) sums.set(key, (sums.get(key) ?? 0) + amount);
  return sums;
}

/** Undoes what would keep the cluster from coming to rest, and deletes every workload. */
async function putRight(kube: Kube): Promise<void> {
  for (const name of ['n1', 'n2', 'n3']) await kube.resource(nodes).merge({ name }, { spec: { unschedulable: null } });
  const propagationPolicy = 'Background';
  await kube.resource(deployments).delete({ namespace: 'default', name: 'web' }, { propagationPolicy });
  await kube.resource(statefulSets).delete({ namespace: 'default', name: 'db' }, { propagationPolicy });
  await kube.resource(daemonSets).delete({ namespace: 'default', name: 'agent' }, { propagationPolicy });
}

/** What still has an owner once its owners are gone. */
async function leftBehind(kube: Kube, clock: ManualClock): Promise<readonly string[]> {
  const all: readonly ResourceRef[] = [pods, replicaSets, controllerRevisions, jobs];
  for (let look = 0; ; look++) {
    const lists = await Promise.all(all.map((ref) => kube.resource(ref).list()));
    const owned = lists.flatMap(({ items }) => items).filter(({ metadata }) => metadata.ownerReferences?.length);
    if (owned.length === 0 || look === 50) return owned.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    await rest(clock, 5_000);
  }
}

/** Lets time pass in small steps, and lets everybody work in between. */
async function rest(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    await clock.advance(100);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}
