import type { KubeObject, LabelSelector, ResourceRef } from '@slipway/kube';
import { balloonClassName } from '../priority-class-system.js';

/** Pod of core/v1: the fields that controllers, scheduler and kubelets look at. Others are carried along unread. */
export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface PodSpec {
  nodeName?: string;
  schedulerName?: string;
  schedulingGates?: readonly { readonly name: string }[];
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: 'Never' | 'PreemptLowerPriority';
  nodeSelector?: Readonly<Record<string, string>>;
  affinity?: Affinity;
  topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  tolerations?: readonly Toleration[];
  hostNetwork?: boolean;
  restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  terminationGracePeriodSeconds?: number;
  initContainers?: readonly Container[];
  containers: readonly Container[];
  ephemeralContainers?: readonly Container[];
  volumes?: readonly Volume[];
  resourceClaims?: readonly PodResourceClaim[];
  hostname?: string;
  subdomain?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a pod spec is open-ended, and templates are passed on unread
  [field: string]: any;
}

/** Devices of a pod, by the name of their claim or of the template that one is made of. */
export interface PodResourceClaim {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[] | null;
  readonly args?: readonly string[] | null;
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  /** `Always` on an init container makes it a sidecar: it keeps running beside the containers. */
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  /** In order; the first that has the exit code counts before the policy. */
  readonly restartPolicyRules?:
    | readonly {
        readonly action: string;
        readonly exitCodes?: { readonly operator: 'In' | 'NotIn'; readonly values?: readonly number[] };
      }[]
    | null;
  readonly env?: readonly { readonly name: string; readonly [source: string]: unknown }[];
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort: number;
    readonly hostPort?: number;
    readonly hostIP?: string;
    readonly protocol?: string;
  }[];
  readonly terminationMessagePolicy?: string;
  readonly resources?: ContainerResources;
  /** What a change of cpu or memory takes; nothing for what is not named. */
  readonly resizePolicy?: readonly {
    readonly resourceName: string;
    readonly restartPolicy: 'NotRequired' | 'RestartContainer';
  }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly lifecycle?: {
    readonly postStart?: LifecycleHook;
    readonly preStop?: LifecycleHook;
  };
}

/** What is done when a container has started, or before it is stopped. */
export interface LifecycleHook {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: { readonly host?: string; readonly port: number | string; readonly path?: string };
  readonly sleep?: { readonly seconds: number };
}

/** How a container is asked how it does; what is absent was filled in by the API server. */
export interface Probe {
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly timeoutSeconds?: number;
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: { readonly path?: string; readonly port?: number | string };
  readonly tcpSocket?: { readonly port: number | string };
  readonly grpc?: { readonly port: number };
}

/** Amounts by resource, such as `{ requests: { cpu: '500m' } }`. */
export interface ContainerResources {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
}

export interface Volume {
  readonly name: string;
  readonly [source: string]: unknown;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: TaintEffect;
  /** Seconds for which a NoExecute taint is tolerated; forever when absent. */
  readonly tolerationSeconds?: number;
}

export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';

export interface Affinity {
  readonly nodeAffinity?: NodeAffinity;
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAffinity;
}

/** Rules about which pods share a place, or must not; a place is a value of the node label `topologyKey`. */
export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number;
    readonly podAffinityTerm: PodAffinityTerm;
  }[];
}

export interface PodAffinityTerm {
  readonly topologyKey: string;
  /** Absent: no pods; empty: all. */
  readonly labelSelector?: LabelSelector | null;
  readonly namespaces?: readonly string[];
  /** Absent: none beside `namespaces`; empty: all. */
  readonly namespaceSelector?: LabelSelector | null;
  /** Labels whose values other pods must share with the pod that has the term, or must not. */
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
  readonly labelSelector?: LabelSelector | null;
  readonly minDomains?: number;
  /** Whether nodes that the pod may not go to by selector or affinity count; `Honor` (they do not) when absent. */
  readonly nodeAffinityPolicy?: 'Honor' | 'Ignore';
  /** The same by taints; `Ignore` (they count) when absent. */
  readonly nodeTaintsPolicy?: 'Honor' | 'Ignore';
  readonly matchLabelKeys?: readonly string[];
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] };
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number;
    readonly preference: NodeSelectorTerm;
  }[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  readonly values?: readonly string[];
}

export interface PodStatus {
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly PodCondition[];
  /** The node on which room is being made for the pod. */
  readonly nominatedNodeName?: string;
  readonly hostIP?: string;
  readonly hostIPs?: readonly { readonly ip: string }[];
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly startTime?: string;
  readonly qosClass?: string;
  readonly observedGeneration?: number;
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  /** Claims that were made for entries of `spec.resourceClaims`; without a name, none is needed. */
  readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
  /** The claim whose devices stand for extended resources of its containers. */
  readonly extendedResourceClaimStatus?: {
    readonly resourceClaimName: string;
    readonly requestMappings: readonly ExtendedResourceRequest[];
  };
}

/** The request of a claim that has the devices for an extended resource of a container. */
export interface ExtendedResourceRequest {
  readonly containerName: string;
  readonly resourceName: string;
  readonly requestName: string;
}

/** A condition of a pod: unlike those of meta/v1 it may lack reason and message. */
export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
  readonly lastProbeTime?: string | null;
  readonly observedGeneration?: number;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly ready: boolean;
  readonly started?: boolean;
  readonly restartCount: number;
  readonly state: ContainerState;
  readonly lastState?: ContainerState;
  /** The requests that its kubelet has set aside. */
  readonly allocatedResources?: Readonly<Record<string, string>>;
  /** What it runs with. */
  readonly resources?: ContainerResources;
  readonly volumeMounts?: readonly VolumeMountStatus[];
  /** As whom its first process runs. */
  readonly user?: { readonly linux: LinuxUser };
}

/** How a volume is mounted. */
export interface VolumeMountStatus {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: true;
  /** Whether mounts below it are read-only too; of read-only mounts alone. */
  readonly recursiveReadOnly?: 'Enabled' | 'Disabled';
}

/** The ids of a process. */
export interface LinuxUser {
  readonly uid: number;
  readonly gid: number;
  readonly supplementalGroups: readonly number[];
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt: string };
  readonly terminated?: {
    readonly exitCode: number;
    readonly reason?: string;
    /** Null where it is not known, as of the end. */
    readonly startedAt?: string | null;
    readonly finishedAt?: string | null;
    readonly containerID?: string;
  };
}

/** What a workload makes pods from. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec: PodSpec;
}

export const pods: ResourceRef<Pod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

/** The condition of this type, if the pod has it. */
export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** Serves, or may once it started: neither finished nor on its way out. Only such pods count as replicas. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

/** All containers have ended for good. */
export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** Whether the pod must not be preempted: a balloon stands for resources that the node does not have. */
export function isUnpreemptable({ spec }: Pod): boolean {
  return spec.priorityClassName === balloonClassName;
}

export function isReady(pod: Pod): boolean {
  return podCondition(pod, 'Ready')?.status === 'True';
}

/**
 * When a ready pod counts as available, in milliseconds since the epoch: once it
 * has been ready for `minReadySeconds` on end. Undefined while it is not ready.
 */
export function availableAtMs(pod: Pod, minReadySeconds: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = podCondition(pod, 'Ready')?.lastTransitionTime;
  return since ? Date.parse(since) + minReadySeconds * 1000 : undefined;
}

/** Whether the pod has been ready for `minReadySeconds` on end. */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const atMs = availableAtMs(pod, minReadySeconds);
  return atMs !== undefined && atMs <= nowMs;
}
