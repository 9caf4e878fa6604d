import type { Node } from '../kinds/api/nodes.js';
import type { Pod, PodSpec, PodStatus, PodTemplate } from '../kinds/api/pods.js';
import type { Deployment, ReplicaSet, ReplicaSetStatus, StatefulSet } from '../kinds/api/workloads.js';

let uids = 0;

/** A pod that runs and is ready, unless told otherwise. */
export function aPod(
  name: string,
  overrides: { metadata?: Partial<Pod['metadata']>; spec?: Partial<PodSpec>; status?: PodStatus } = {},
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-of-${name}-${++uids}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'a' },
      ...overrides.metadata,
    },
    spec: { containers: [{ name: 'main', image: 'image' }], ...overrides.spec },
    status: overrides.status ?? readySince('2026-01-01T00:00:00Z'),
  };
}

/** Status of a pod that runs and has been ready since then. */
export function readySince(lastTransitionTime: string): PodStatus {
  return { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] };
}

/** The template that the workloads below have; another image is another template. */
export function aTemplate(image = 'image:1'): PodTemplate {
  return { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image }] } };
}

const selector = { matchLabels: { app: 'a' } };

export function aReplicaSet(
  name: string,
  overrides: {
    metadata?: Partial<ReplicaSet['metadata']>;
    spec?: Partial<ReplicaSet['spec']>;
    status?: ReplicaSetStatus;
  } = {},
): ReplicaSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, namespace: 'default', uid: `uid-of-${name}`, generation: 1, ...overrides.metadata },
    spec: { replicas: 1, selector, template: aTemplate(), ...overrides.spec },
    ...(overrides.status && { status: overrides.status }),
  };
}

/** A ReplicaSet with so many replicas, all or some of them available. */
export function aSetOf(name: string, replicas: number, availableReplicas = replicas, image?: string): ReplicaSet {
  const status = { replicas, readyReplicas: availableReplicas, availableReplicas, observedGeneration: 1 };
  return aReplicaSet(name, { spec: { replicas, template: aTemplate(image) }, status });
}

export function aDeployment(
  spec: Partial<Deployment['spec']> = {},
  overrides: { metadata?: Partial<Deployment['metadata']>; status?: Deployment['status'] } = {},
): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', uid: 'uid-of-web', generation: 1, ...overrides.metadata },
    spec: {
      replicas: 3,
      selector,
      template: aTemplate(),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...spec,
    },
    ...(overrides.status && { status: overrides.status }),
  };
}

export function aStatefulSet(
  spec: Partial<StatefulSet['spec']> = {},
  overrides: { metadata?: Partial<StatefulSet['metadata']>; status?: StatefulSet['status'] } = {},
): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'web', namespace: 'default', uid: 'uid-of-web', generation: 1, ...overrides.metadata },
    spec: {
      replicas: 3,
      serviceName: 'web',
      selector,
      template: aTemplate(),
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      ...spec,
    },
    ...(overrides.status && { status: overrides.status }),
  };
}

export function aNode(
  name: string,
  overrides: { labels?: Record<string, string>; spec?: Node['spec']; allocatable?: Record<string, string> } = {},
): Node {
  const allocatable = overrides.allocatable ?? { cpu: '4', memory: '8Gi', pods: '110' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: `uid-of-${name}`, labels: { 'kubernetes.io/hostname': name, ...overrides.labels } },
    spec: overrides.spec ?? {},
    status: { allocatable, capacity: allocatable },
  };
}
