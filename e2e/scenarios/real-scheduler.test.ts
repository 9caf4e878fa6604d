import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findKubectl, needs } from '../../tools/real-parts.js';
import { bareCluster } from '../support/bare-cluster.js';
import { realKubernetes } from '../support/real-kubernetes.js';
import { type ProxiedSide, proxiedSide } from '../support/side-by-side/proxied-side.js';
import {
  priorityClasses,
  type SchedulingAct,
  type SchedulingStory,
  schedulingStory,
  storyNamespaces,
} from '../support/side-by-side/scheduling-stories.js';
import { eventually } from '../support/slipway.js';

/** `SLIPWAY_STORIES=100` plays more. */
const stories = Number(process.env.SLIPWAY_STORIES ?? 8);
const restMs = 300;
const beatMs = 8_000;

/** What became of a pod. */
interface Fate {
  readonly node?: string;
  readonly volume?: string;
  readonly nominated?: string;
  readonly message?: string;
}

// Generated nodes and pods, beside the scheduler of Kubernetes: after each act all pods have the same node, or the same
// words that say why not. Where nodes are equally good for Kubernetes, ours may take either.
test('pods get the nodes that the scheduler of Kubernetes gives them', { timeout: 0 }, async (context) => {
  needs(context, 'real Kubernetes');
  needs(context, 'kubectl');
  await using kubernetes = await realKubernetes(process.env.SLIPWAY_REAL_KUBERNETES ?? '');
  kubernetes.startScheduler('-v=10');
  await using cluster = await bareCluster({ nodes: 0, version: `1.${kubernetes.minor}` });
  await using real = await proxiedSide(kubernetes.inside(findKubectl() ?? ''), kubernetes.kubeconfig('admin'));
  await using ours = await proxiedSide(findKubectl() ?? '', cluster.kubeconfig);
  const sides = [real, ours] as const;
  for (const side of sides) {
    for (const [path, object] of surroundings) expect(await side.send('POST', path, object)).toBe(201);
    for (const namespace of Object.keys(storyNamespaces))
      await eventually('the account is there', async () => {
        const { items } = await side.get<Items>(`/api/v1/namespaces/${namespace}/serviceaccounts`);
        return items.length > 0;
      });
  }
  await using _beating = beating(sides);
  const drawn = fc.sample(schedulingStory, { numRuns: stories, seed: Number(process.env.SLIPWAY_SEED) });
  for (const [index, story] of drawn.entries()) await playStory(story, `s${index}`);

  async function playStory({ nodes, volumes, acts }: SchedulingStory, name: string): Promise<void> {
    for (const side of sides) {
      for (const namespace of Object.keys(storyNamespaces)) await side.send('DELETE', podsOf(namespace), atOnce);
      for (const namespace of Object.keys(storyNamespaces)) await side.send('DELETE', claimsOf(namespace));
      await side.send('DELETE', volumesPath);
      await side.send('DELETE', nodesPath);
      await eventually('no volume is left', async () => (await side.get<Items>(volumesPath)).items.length === 0);
      for (const volume of volumes)
        expect(await side.send('POST', volumesPath, volumeOf(name, volume, nodes.length))).toBe(201);
      for (const [index, node] of nodes.entries()) await side.send('POST', nodesPath, nodeOf(node, index));
      await eventually('no node is tainted as not ready', async () => {
        const { items } = await side.get<Items>(nodesPath);
        return items.length === nodes.length && !JSON.stringify(items).includes('node.kubernetes.io/not-ready');
      });
      await eventually('all volumes are available', async () => {
        const { items } = await side.get<{ items: { status: { phase?: string } }[] }>(volumesPath);
        return items.every(({ status }) => status.phase === 'Available');
      });
    }
    const done = [JSON.stringify({ nodes, volumes })];
    const pods: string[] = [];
    for (const act of acts) {
      done.push(JSON.stringify(act));
      const podName = `${name}-${pods.length}`;
      if (act.kind === 'pod') pods.push(`${act.namespace}/${podName}`);
      const codes = await Promise.all(sides.map((side) => carryOut(side, act, podName, pods, nodes.length)));
      expect(codes[1], done.join('\n')).toBe(codes[0]);
      if (!(await settled(act, podName, done))) return;
    }
  }

  /** Whether the story can go on: both sides are alike. */
  async function settled(act: SchedulingAct, podName: string, done: readonly string[]): Promise<boolean> {
    let before = '';
    let goesOn = true;
    await eventually(
      `both sides agree after\n${done.join('\n')}`,
      async () => {
        const [theirs, own] = (await Promise.all(sides.map(fates))) as [Fates, Fates];
        const now = JSON.stringify([theirs, own]);
        const isAtRest = now === before && Object.values(theirs).every(hasFate) && Object.values(own).every(hasFate);
        before = now;
        if (!isAtRest) {
          await setTimeout(restMs);
          throw new Error(`not at rest: ${now}`);
        }
        if (JSON.stringify(theirs) === JSON.stringify(own)) return true;
        const gone = [missing(theirs, own), missing(own, theirs)];
        const tied = Object.keys(theirs).filter((pod) => isTie(pod, theirs[pod], own[pod]));
        // Each has preempted another one of as little worth, and the story cannot go on.
        goesOn = gone.flat().length === 0;
        if (!goesOn && gone[0]?.length === gone[1]?.length) return true;
        const rest = (all: Fates) => Object.entries(all).filter(([pod]) => !tied.includes(pod));
        expect(Object.fromEntries(rest(own))).toEqual(Object.fromEntries(rest(theirs)));
        const isOnlyPod = act.kind === 'pod' && tied.length === 1 && tied[0]?.endsWith(`/${podName}`);
        const isWaiting = Object.values(theirs).some(({ node }) => node === undefined);
        goesOn = isOnlyPod === true && !isWaiting && !act.claim;
        if (goesOn && act.kind === 'pod') await force(ours, act, podName, theirs[tied[0] ?? '']?.node ?? '');
        return true;
      },
      60_000,
    );
    return goesOn;
  }

  /** Whether the scheduler of Kubernetes has found the other node as good as the one that it took. */
  function isTie(pod: string, theirs: Fate | undefined, own: Fate | undefined): boolean {
    if (!theirs?.node || !own?.node || theirs.node === own.node) return false;
    const scores = scoresOf(kubernetes.log('kube-scheduler'), pod);
    return scores.has(own.node) && scores.get(own.node) === scores.get(theirs.node);
  }
});

type PodAct = Extract<SchedulingAct, { kind: 'pod' }>;
type Fates = Readonly<Record<string, Fate>>;

function missing(from: Fates, those: Fates): readonly string[] {
  return Object.keys(those).filter((pod) => !(pod in from));
}

type Items = { readonly items: readonly object[] };

const nodesPath = '/api/v1/nodes';
const volumesPath = '/api/v1/persistentvolumes';
const localClass = 'local';
const atOnce = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };

function podsOf(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/pods`;
}

function claimsOf(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
}

/** What is there in each story, and where it is made. */
const surroundings: [string, object][] = [
  ...Object.entries(storyNamespaces).map(([name, labels]): [string, object] => [
    '/api/v1/namespaces',
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } },
  ]),
  ...priorityClasses.map((fields): [string, object] => [
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', ...fields },
  ]),
  [
    '/apis/storage.k8s.io/v1/storageclasses',
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: localClass },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
  ],
  [
    '/api/v1/namespaces/home/services',
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    },
  ],
];

function nodeOf({ labels, spec, allocatable, images }: SchedulingStory['nodes'][number], index: number): object {
  const name = `n${index}`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...labels, 'kubernetes.io/hostname': name } },
    spec,
    status: {
      capacity: allocatable,
      allocatable,
      images,
      conditions: readyNow(),
    },
  };
}

function readyNow(): readonly object[] {
  const lastHeartbeatTime = new Date().toISOString().replace(/\.\d+/, '');
  return [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'by hand', lastHeartbeatTime }];
}

/** Lets all nodes be alive until it is disposed. */
function beating(sides: readonly ProxiedSide[]): AsyncDisposable {
  const stopping = new AbortController();
  const beat = async (side: ProxiedSide) => {
    const { items } = await side.get<{ items: { metadata: { name: string } }[] }>(nodesPath);
    const status = { conditions: readyNow() };
    for (const { metadata } of items) await side.send('PATCH', `${nodesPath}/${metadata.name}/status`, { status });
  };
  const work = async () => {
    while (await setTimeout(beatMs, true, { signal: stopping.signal }).catch(() => false))
      await Promise.all(sides.map(beat));
  };
  const working = work();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await working;
    },
  };
}

async function carryOut(
  side: ProxiedSide,
  act: SchedulingAct,
  podName: string,
  pods: readonly string[],
  nodes: number,
): Promise<number> {
  if (act.kind === 'pod') {
    if (act.claim) await side.send('POST', claimsOf(act.namespace), claimOf(podName, act.claim));
    return side.send('POST', podsOf(act.namespace), podOf(act, podName));
  }
  if (act.kind === 'delete') {
    const [namespace = '', name = ''] = (pods[act.pod % Math.max(1, pods.length)] ?? 'home/none').split('/');
    return side.send('DELETE', `${podsOf(namespace)}/${name}`, atOnce);
  }
  const node = `${nodesPath}/n${act.node % nodes}`;
  if (act.kind === 'label')
    return side.send('PATCH', node, { metadata: { labels: { 'topology.kubernetes.io/zone': act.zone } } });
  if (act.kind !== 'taint') return side.send('PATCH', node, { spec: { unschedulable: act.kind === 'cordon' || null } });
  const { spec } = await side.get<{ spec: { taints?: object[] } }>(node);
  return side.send('PATCH', node, { spec: { taints: [...(spec.taints ?? []), act.taint] } });
}

function podOf({ namespace, labels, spec, claim }: PodAct, name: string): object {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: name } }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: { ...spec, ...(claim && { volumes }) },
  };
}

function claimOf(name: string, { gibibytes, accessMode }: NonNullable<PodAct['claim']>): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: {
      storageClassName: localClass,
      accessModes: [accessMode],
      resources: { requests: { storage: `${gibibytes}Gi` } },
    },
  };
}

function volumeOf(
  story: string,
  { gibibytes, accessMode, node }: SchedulingStory['volumes'][number],
  nodes: number,
): object {
  const values = [`n${node % nodes}`];
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values }];
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `${story}-${gibibytes}` },
    spec: {
      storageClassName: localClass,
      capacity: { storage: `${gibibytes}Gi` },
      accessModes: [accessMode],
      local: { path: '/disk' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  };
}

/** Puts a pod again where it is on the other side. */
async function force(side: ProxiedSide, act: PodAct, name: string, nodeName: string): Promise<void> {
  await side.send('DELETE', `${podsOf(act.namespace)}/${name}`, atOnce);
  await side.send('POST', podsOf(act.namespace), podOf({ ...act, spec: { ...act.spec, nodeName } }, name));
}

interface ListedClaim {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly volumeName?: string };
}

interface ListedPod {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

async function fates(side: ProxiedSide): Promise<Fates> {
  const found: [string, Fate][] = [];
  for (const namespace of Object.keys(storyNamespaces)) {
    const { items } = await side.get<{ items: ListedPod[] }>(podsOf(namespace));
    const claims = await side.get<{ items: ListedClaim[] }>(claimsOf(namespace));
    for (const { metadata, spec, status } of items) {
      const message = status.conditions?.find(
        ({ type, status: is }) => type === 'PodScheduled' && is === 'False',
      )?.message;
      const { nominatedNodeName } = status;
      found.push([
        `${namespace}/${metadata.name}`,
        spec.nodeName
          ? { node: spec.nodeName, ...volumeIn(claims.items, metadata.name) }
          : { ...(message && { message }), ...(nominatedNodeName && { nominated: nominatedNodeName }) },
      ]);
    }
  }
  return Object.fromEntries(found);
}

function volumeIn(claims: readonly ListedClaim[], name: string): Pick<Fate, 'volume'> {
  const volume = claims.find(({ metadata }) => metadata.name === name)?.spec.volumeName;
  return volume === undefined ? {} : { volume };
}

function hasFate({ node, message }: Fate): boolean {
  return node !== undefined || message !== undefined;
}

/** The last sums of points that a scheduler has logged for a pod. */
function scoresOf(log: string, pod: string): ReadonlyMap<string, number> {
  const line = new RegExp(`final score for pod" pod="${pod}" node="(\\w+)" score=(\\d+)`, 'g');
  return new Map([...log.matchAll(line)].map(([, node = '', score]) => [node, Number(score)]));
}
