import {
  BalloonMetrics,
  BalloonPolicy,
  balloonControllers,
  balloonGate,
  balloonManifests,
  HostPartition,
  installBalloonCrds,
  NodeSize,
  ordinaryInstallation,
} from '@slipway/balloons';
import type { Cluster } from '@slipway/devcluster';
import { FeatureUse, installFeatureCrds } from '@slipway/features';
import { apiVersionOf, type Kube, type KubeObject, type Logger, type ResourceRef, sleep } from '@slipway/kube';
import { ClusterObjects } from '../installation/cluster-objects.js';
import { balloonUser, grantBalloonRights } from '../local-cluster/balloon-rights.js';
import type { RightsTrial } from './missing-rights.js';

const { namespace, serviceAccount, balloons } = ordinaryInstallation;

/** Returns the roles of a balloon controller. */
export function balloonRoles(): readonly KubeObject[] {
  return balloonManifests().filter(({ kind, metadata }) => kind.endsWith('Role') && metadata.name === serviceAccount);
}

/**
 * Prepares a cluster with two nodes, whose time is stepped, for trials of the balloon controller. Its work is to give nodes
 * balloons, to resize and split them, to undo what other clients do to balloons, to measure, and to report its gate.
 */
export async function balloonTrial(cluster: Cluster, signal: AbortSignal): Promise<RightsTrial> {
  const admin = cluster.kube();
  await Promise.all([installBalloonCrds(admin, signal), installFeatureCrds(admin, signal)]);
  await grantBalloonRights(admin, signal);
  const objects = await ClusterObjects.of(admin, signal);
  for (const object of [boundVolume, boundClaim, largePod]) await objects.apply(object);
  let metrics = new BalloonMetrics(cluster.clock);
  return {
    admin,
    pass: (ms) => cluster.advance(ms),
    prepare: () => removeWork(admin),
    process: (log) => {
      metrics = new BalloonMetrics(cluster.clock);
      return controllerOf(cluster, metrics, log);
    },
    work: (until) => work(admin, metrics, until),
    shown: async () => {
      const [sizes, policies, events] = await Promise.all([
        admin.resource(NodeSize).list({}),
        admin.resource(BalloonPolicy).list({}),
        admin.resource(core('Event', 'events')).list({}),
      ]);
      const statuses = [...sizes.items, ...policies.items].map(({ status }) => status);
      return JSON.stringify([statuses, events.items.map(({ message }) => message)]);
    },
  };
}

/** The controllers and the reporting of their gate, which follows its Feature as that of `slipway up` does. */
function controllerOf(cluster: Cluster, metrics: BalloonMetrics, log: Logger) {
  const kube = cluster.kube(balloonUser);
  const gate = balloonGate();
  const reporting = gate.startReporting({
    transport: kube.transport,
    namespace: balloons,
    instance: 'trial',
    dynamicFeatures: ['*'],
    startWithinMs: 0,
    clock: kube.clock,
    log: (line) => log.warn(line),
  });
  const lease = { namespace, name: serviceAccount, identity: 'trial' };
  const controllers = balloonControllers({ kube, lease, log, metrics, gate });
  return {
    ...controllers,
    stop: async () => {
      await reporting.stop();
    },
  };
}

function work(admin: Kube, metrics: BalloonMetrics, signal: AbortSignal): Readonly<Record<string, Promise<void>>> {
  const until = async (isTrue: () => Promise<boolean>) => {
    while (!(await isTrue())) await sleep(admin.clock, 250, signal);
  };
  const statusOf = async (name: string) => (await admin.resource(NodeSize).find({ name }, signal))?.status;
  const balloon = async () => {
    const labelSelector = 'balloons.slipway.dev/balloon=true';
    const { items } = await admin.resource(Pod).list({ namespace: balloons, labelSelector, signal });
    const pod = items.find(({ spec }) => spec.nodeName === 'n1');
    if (!pod) throw new Error('n1 has no balloon');
    return { ref: { namespace: balloons, name: pod.metadata.name ?? '' }, spec: JSON.stringify(pod.spec.containers) };
  };
  let rejected: string | undefined;
  const given = (async () => {
    const policy = { apiVersion: apiVersionOf(BalloonPolicy), kind: BalloonPolicy.kind, metadata: { name: 'all' } };
    await admin.resource(BalloonPolicy).create({ ...policy, spec: { priorityMode: 'Polite' } });
    for (const node of ['n1', 'n2']) await until(async () => (await statusOf(node))?.balloon !== undefined);
  })();
  const resized = given.then(async () => {
    // A resize that was rejected is not tried again until its spec changes.
    for (const memory of ['16Gi', '17Gi', '18Gi']) {
      const spec = { mode: 'Size', size: { cpu: '4', memory }, fence: 'Always' } as const;
      await admin.resource(NodeSize).mutate({ name: 'n1' }, (draft) => ({ ...draft, spec }));
      await until(async () => {
        const { size, lastResize } = (await statusOf('n1')) ?? {};
        return size?.cpu === '4' || (lastResize?.result === 'Rejected' && lastResize.id !== rejected);
      });
      const { size, lastResize } = (await statusOf('n1')) ?? {};
      if (size?.cpu === '4') return;
      rejected = lastResize?.id;
      await sleep(admin.clock, 40_000, signal);
    }
  });
  const reverted = resized.then(async () => {
    const { ref, spec } = await balloon();
    const path = '/spec/containers/0/resources/requests/cpu';
    // The same event a second time is counted up.
    for (let times = 0; times < 2; times++) {
      await admin.resource(Pod).json(ref, [{ op: 'replace', path, value: '1' }], { subresource: 'resize' });
      await until(async () => (await balloon()).spec === spec);
    }
  });
  const split = reverted.then(async () => {
    const members = [{ node: 'n1' }, { node: 'n2' }];
    const partition = { apiVersion: apiVersionOf(HostPartition), kind: HostPartition.kind, metadata: { name: 'lab' } };
    await admin.resource(HostPartition).create({ ...partition, spec: { host: 'lab', members } });
    await until(async () => (await statusOf('n2'))?.size?.cpu === '8');
  });
  return {
    'giving nodes balloons': given,
    'resizing nodes': resized,
    'undoing what others resized': reverted,
    'splitting hosts': split,
    'taking balloons away': split.then(async () => {
      await admin.resource(BalloonPolicy).delete({ name: 'all' });
      await until(async () => (await admin.resource(BalloonPolicy).find({ name: 'all' }, signal)) === undefined);
    }),
    measuring: until(async () => metrics.page().includes('slipway_node_usage{node="n1"')),
    'reporting the gate': until(async () => {
      const { items } = await admin.resource(FeatureUse).list({ namespace: balloons });
      return items.some(({ spec }) => spec.component === 'slipway-balloons');
    }),
  };
}

/** Deletes all that the controller made, so that it makes it again. */
async function removeWork(admin: Kube): Promise<void> {
  const kinds = [
    BalloonPolicy,
    HostPartition,
    NodeSize,
    DaemonSet,
    PriorityClass,
    Lease,
    FeatureUse,
    core('Event', 'events'),
  ];
  for (const kind of kinds) {
    const { items } = await admin.resource(kind as ResourceRef).list({});
    for (const { metadata } of items.filter(isOurs)) {
      const ref = { name: metadata.name ?? '', namespace: metadata.namespace };
      await admin
        .resource(kind as ResourceRef)
        .merge(ref, { metadata: { finalizers: null } })
        .catch(() => {});
      await admin
        .resource(kind as ResourceRef)
        .delete(ref)
        .catch(() => {});
    }
  }
  for (const name of ['n1', 'n2']) await admin.resource(Node).merge({ name }, { spec: { unschedulable: null } });
}

function isOurs({ kind, metadata: { name = '' } }: KubeObject): boolean {
  return !['PriorityClass', 'Lease'].includes(kind) || name.includes('balloon');
}

function core(kind: string, plural: string, group = '', namespaced = true): ResourceRef {
  return { group, version: 'v1', kind, plural, namespaced };
}

const Pod = core('Pod', 'pods');
const Node = core('Node', 'nodes', '', false);
const DaemonSet = core('DaemonSet', 'daemonsets', 'apps');
const PriorityClass = core('PriorityClass', 'priorityclasses', 'scheduling.k8s.io', false);
const Lease = core('Lease', 'leases', 'coordination.k8s.io');
const capacity = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
const boundVolume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'data' },
  spec: {
    ...capacity,
    capacity: { storage: '1Gi' },
    hostPath: { path: '/data' },
    claimRef: { namespace: 'default', name: 'data' },
  },
};
const boundClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'default' },
  spec: { ...capacity, volumeName: 'data', resources: { requests: { storage: '1Gi' } } },
};
/** A pod that no node has room for. */
const largePod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'large', namespace: 'default' },
  spec: {
    containers: [{ name: 'large', image: 'large', resources: { requests: { cpu: '100' } } }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  },
};
