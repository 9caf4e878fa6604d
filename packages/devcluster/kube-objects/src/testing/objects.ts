import { apiVersionOf, CustomResourceDefinition, type KubeObject, type ResourceRef } from '@slipway/kube';
import type { DaemonSet } from '../kinds/api/daemon-sets.js';
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

interface Overrides<Status> {
  metadata?: Partial<Deployment['metadata']>;
  status?: Status | undefined;
}

/** What a workload of the namespace `default` has beside its spec. */
function workload<Status>(name: string, { metadata, status }: Overrides<Status>) {
  return {
    apiVersion: 'apps/v1',
    metadata: { name, namespace: 'default', uid: `uid-of-${name}`, generation: 1, ...metadata },
    ...(status && { status }),
  };
}

export function aReplicaSet(
  name: string,
  { spec, ...overrides }: Overrides<ReplicaSetStatus> & { spec?: Partial<ReplicaSet['spec']> } = {},
): ReplicaSet {
  return {
    kind: 'ReplicaSet',
    ...workload(name, overrides),
    spec: { replicas: 1, selector, template: aTemplate(), ...spec },
  };
}

/** A ReplicaSet with so many replicas, all or some of them available. */
export function aSetOf(name: string, replicas: number, availableReplicas = replicas, image?: string): ReplicaSet {
  const status = { replicas, readyReplicas: availableReplicas, availableReplicas, observedGeneration: 1 };
  return aReplicaSet(name, { spec: { replicas, template: aTemplate(image) }, status });
}

export function aDeployment(
  spec: Partial<Deployment['spec']> = {},
  overrides: Overrides<Deployment['status']> = {},
): Deployment {
  return {
    kind: 'Deployment',
    ...workload('web', overrides),
    spec: {
      replicas: 3,
      selector,
      template: aTemplate(),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...spec,
    },
  };
}

export function aStatefulSet(
  spec: Partial<StatefulSet['spec']> = {},
  overrides: Overrides<StatefulSet['status']> = {},
): StatefulSet {
  return {
    kind: 'StatefulSet',
    ...workload('web', overrides),
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
  };
}

/** A DaemonSet that replaces one pod after the other, unless told otherwise. */
export function aDaemonSet(
  spec: Partial<DaemonSet['spec']> = {},
  overrides: Overrides<DaemonSet['status']> = {},
): DaemonSet {
  return {
    kind: 'DaemonSet',
    ...workload('agent', overrides),
    spec: {
      selector,
      template: aTemplate(),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
      ...spec,
    },
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

/** A definition of one version of a custom kind, as a client sends it. */
export function definitionOf({ group, version, kind, plural, namespaced }: ResourceRef, schema: object): KubeObject {
  return {
    apiVersion: apiVersionOf(CustomResourceDefinition),
    kind: CustomResourceDefinition.kind,
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}
