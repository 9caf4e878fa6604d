import type { KubeObject, LabelSelector, ResourceRef } from '@slipway/kube';
import type { PodTemplate } from './pods.js';
import type { PersistentVolumeClaim } from './volumes.js';

/** A count, or a share of the replicas such as `25%`. */
export type IntOrPercent = number | string;

/** A condition of a workload. `lastUpdateTime` is there on those of deployments only. */
export interface WorkloadCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
}

/** What keeps a number of pods alike: a ReplicaSet or a ReplicationController. */
export interface Replicated extends KubeObject {
  spec: {
    replicas: number;
    minReadySeconds?: number;
    template: PodTemplate;
  };
  status?: ReplicaSetStatus;
}

/** ReplicaSet of apps/v1. */
export interface ReplicaSet extends Replicated {
  spec: Replicated['spec'] & { selector: LabelSelector };
}

/** ReplicationController of core/v1. */
export interface ReplicationController extends Replicated {
  spec: Replicated['spec'] & { selector: Readonly<Record<string, string>> };
}

export interface ReplicaSetStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly WorkloadCondition[];
}

/** Deployment of apps/v1, as the API server gives it: with defaults filled in. */
export interface Deployment extends KubeObject {
  spec: {
    replicas: number;
    selector: LabelSelector;
    template: PodTemplate;
    strategy: {
      readonly type: 'RollingUpdate' | 'Recreate';
      readonly rollingUpdate?: { readonly maxSurge?: IntOrPercent; readonly maxUnavailable?: IntOrPercent };
    };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    paused?: boolean;
    progressDeadlineSeconds?: number;
  };
  status?: DeploymentStatus;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly WorkloadCondition[];
}

/** StatefulSet of apps/v1, as the API server gives it: with defaults filled in. */
export interface StatefulSet extends KubeObject {
  spec: {
    replicas: number;
    serviceName?: string;
    selector: LabelSelector;
    template: PodTemplate;
    podManagementPolicy?: 'OrderedReady' | 'Parallel';
    updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete';
      readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: IntOrPercent };
    };
    volumeClaimTemplates?: readonly VolumeClaimTemplate[];
    persistentVolumeClaimRetentionPolicy?: {
      readonly whenDeleted?: 'Retain' | 'Delete';
      readonly whenScaled?: 'Retain' | 'Delete';
    };
    revisionHistoryLimit?: number;
    minReadySeconds?: number;
    ordinals?: { readonly start?: number };
  };
  status?: StatefulSetStatus;
}

export interface VolumeClaimTemplate {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: PersistentVolumeClaim['spec'];
}

export interface StatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas: number;
  readonly readyReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
  readonly conditions?: readonly WorkloadCondition[];
}

/** ControllerRevision of apps/v1: a template as it was, so that a rollout can be undone. */
export interface ControllerRevision extends KubeObject {
  data: { readonly spec: { readonly template: Readonly<Record<string, unknown>> } };
  revision: number;
}

const apps = { group: 'apps', version: 'v1', namespaced: true } as const;

export const deployments: ResourceRef<Deployment> = { ...apps, kind: 'Deployment', plural: 'deployments' };
export const replicaSets: ResourceRef<ReplicaSet> = { ...apps, kind: 'ReplicaSet', plural: 'replicasets' };
export const statefulSets: ResourceRef<StatefulSet> = { ...apps, kind: 'StatefulSet', plural: 'statefulsets' };
export const replicationControllers: ResourceRef<ReplicationController> = {
  group: '',
  version: 'v1',
  namespaced: true,
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
};
export const controllerRevisions: ResourceRef<ControllerRevision> = {
  ...apps,
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
};
