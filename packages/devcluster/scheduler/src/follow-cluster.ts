import { type Clock, type InformerFactory, type KubeObject, keyOf, type Logger, sameJson } from '@slipway/kube';
import { namespaces } from '@slipway/kube-objects/kinds/api/core';
import { deviceClasses, deviceTaintRules, resourceSlices } from '@slipway/kube-objects/kinds/api/devices';
import { podDisruptionBudgets } from '@slipway/kube-objects/kinds/api/disruption-budgets';
import { type Node, nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { isFinished, isTerminating, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { resourceClaims } from '@slipway/kube-objects/kinds/api/resource-claims';
import { services } from '@slipway/kube-objects/kinds/api/services';
import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  type VolumeAttachment,
  volumeAttachments,
} from '@slipway/kube-objects/kinds/api/volumes';
import { replicaSets, statefulSets } from '@slipway/kube-objects/kinds/api/workloads';
import { withTaintsOf } from '@slipway/kube-objects/rules/device-taints';
import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import { DefaultSpread } from './default-spread.js';
import { type Demand, demandOf } from './demand/demand.js';
import { ClaimLedger } from './devices/claim-ledger.js';
import type { CompileSelector, DeviceView } from './devices/device-view.js';
import { classesByResource, isExtendedClaimOf, type ResourceClasses } from './devices/extended-resources.js';
import { SliceIndex } from './devices/slice-index.js';
import type { ClusterChange } from './filters/filter.js';
import { isResizeDeferred } from './resize/plan-resize.js';
import type { ClusterState } from './view/cluster-state.js';
import type { ClusterView, VolumeView } from './view/cluster-view.js';
import { SpreadCounts } from './view/spread-counts.js';
import { Waiting } from './volumes/waiting.js';

/** Pods that name another scheduler are not ours. */
export const schedulerName = 'default-scheduler';

/** Who is told what the watches bring. */
export interface Followed {
  readonly state: ClusterState;
  /** A pod wants a node. `isChanged` = it did before, and asks for something else now. */
  readonly wanting: (key: string, demand: Demand, isChanged: boolean) => void;
  /** A pod no longer wants a node. */
  readonly settled: (key: string) => void;
  readonly happened: (change: ClusterChange) => void;
  readonly profile: VersionProfile;
  readonly compileSelector: CompileSelector;
  readonly log: Logger;
}

/** The watches of the scheduler: they keep its picture of the cluster and say what changed in it. */
export function followCluster(informers: InformerFactory, clock: Clock, followed: Followed) {
  const all = {
    nodes: informers.informer(nodes),
    pods: informers.informer(pods),
    namespaces: informers.informer(namespaces),
    budgets: informers.informer(podDisruptionBudgets),
    claims: informers.informer(persistentVolumeClaims),
    volumes: informers.informer(persistentVolumes),
    storageClasses: informers.informer(storageClasses),
    csiDrivers: informers.informer(csiDrivers),
    csiNodes: informers.informer(csiNodes),
    capacities: informers.informer(csiStorageCapacities),
    attachments: informers.informer(volumeAttachments),
    resourceClaims: informers.informer(resourceClaims),
    slices: informers.informer(resourceSlices),
    deviceClasses: informers.informer(deviceClasses),
    ...(followed.profile.readsTaintRules && { taintRules: informers.informer(deviceTaintRules) }),
    services: informers.informer(services),
    replicaSets: informers.informer(replicaSets),
    statefulSets: informers.informer(statefulSets),
  };
  all.services.addIndex(byNamespace, namespaceOf);
  all.attachments.addIndex(byNode, nodeOfAttachment);
  const spread = new DefaultSpread({
    services: (namespace) =>
      all.services.lister.byIndex(byNamespace, namespace).flatMap(({ spec }) => (spec.selector ? [spec.selector] : [])),
    workload: ({ apiVersion, kind, ...ref }) => {
      if (apiVersion !== 'apps/v1') return undefined;
      if (kind === 'ReplicaSet') return all.replicaSets.lister.get(ref)?.spec.selector;
      return kind === 'StatefulSet' ? all.statefulSets.lister.get(ref)?.spec.selector : undefined;
    },
  });
  const spreadCounts = new SpreadCounts();
  const waiting = new Waiting(clock);
  /** UIDs of volumes that are about to be bound. */
  const taken = new Set<string | undefined>();
  const ledger = new ClaimLedger(all.resourceClaims, clock);
  let slices: SliceIndex | undefined;
  let resourceClasses: ResourceClasses | undefined;
  const devicesChanged = () => {
    slices = undefined;
    followed.happened({ kind: 'devices' });
  };
  const subscriptions = [
    all.nodes.onChange(({ type, object, previous }) => nodeChanged(followed, type, object, previous)),
    all.pods.onChange(({ type, object, previous }) => podChanged(followed, type, object, previous)),
    all.namespaces.onChange(({ object, previous }) => {
      const isRelabelled = !sameJson(object.metadata.labels, previous?.metadata.labels);
      if (isRelabelled) followed.happened({ kind: 'namespace' });
    }),
    all.claims.onChange(({ object }) => {
      followed.happened({ kind: 'volumes', claim: object });
      waiting.wake();
    }),
    ...[all.volumes, all.storageClasses, all.csiDrivers, all.csiNodes, all.capacities, all.attachments].map(
      (informer) => informer.onChange(() => followed.happened({ kind: 'volumes' })),
    ),
    all.pods.onChange(({ type }) => {
      if (type === 'deleted') waiting.wake();
    }),
    all.resourceClaims.onChange(({ type, object, previous }) => {
      ledger.changed();
      const [before, after] = type === 'deleted' ? [object] : [previous, object];
      followed.happened({ kind: 'resource-claim', before, after });
      waiting.wake();
    }),
    all.slices.onChange(devicesChanged),
    ...(all.taintRules ? [all.taintRules.onChange(devicesChanged)] : []),
    all.deviceClasses.onChange(() => {
      resourceClasses = undefined;
      followed.happened({ kind: 'devices' });
    }),
  ];
  const { state } = followed;
  const volumes: VolumeView = {
    claim: (namespace, name) => all.claims.lister.get({ namespace, name }),
    volume: (name) => all.volumes.lister.get({ name }),
    ofClass: (name) =>
      all.volumes.lister
        .list()
        .filter(({ metadata, spec }) => (spec.storageClassName ?? '') === name && !taken.has(metadata.uid)),
    storageClass: (name) => all.storageClasses.lister.get({ name }),
    driver: (name) => all.csiDrivers.lister.get({ name }),
    driversOf: (name) => all.csiNodes.lister.get({ name })?.spec.drivers ?? [],
    capacities: () => all.capacities.lister.list(),
    attachedTo: (node) =>
      all.attachments.lister.byIndex(byNode, node).flatMap(({ spec: { source } }) => {
        return all.volumes.lister.get({ name: source.persistentVolumeName ?? '' }) ?? [];
      }),
  };
  const devices: DeviceView = {
    claim: (namespace, name) => ledger.get(namespace, name),
    isBeingAllocated: (claim) => ledger.isBeingAllocated(claim),
    deviceClass: (name) => all.deviceClasses.lister.get({ name }),
    resourceClasses: () => {
      resourceClasses ??= classesByResource(followed.profile.allocatesExtended ? all.deviceClasses.lister.list() : []);
      return resourceClasses;
    },
    leftOver: (pod) => ledger.find(pod.metadata.namespace ?? '', (claim) => isExtendedClaimOf(pod, claim)),
    slices: () => {
      slices ??= new SliceIndex(withTaintsOf(all.taintRules?.lister.list() ?? [], all.slices.lister.list()));
      return slices;
    },
    inUse: () => ledger.inUse(),
    compile: followed.compileSelector,
    nowMs: () => clock.now(),
  };
  return {
    ledger,
    waiting,
    taken,
    async whenSynced(signal: AbortSignal): Promise<void> {
      for (const informer of Object.values(all)) informer.start();
      await Promise.all(Object.values(all).map((informer) => informer.whenSynced(signal)));
    },
    pod: (ref: { name: string; namespace?: string | undefined }) => all.pods.lister.get(ref),
    view: (): ClusterView => ({
      nodes: state.nodes(),
      sociable: state.sociable(),
      nominated: state.nominated(),
      namespaceLabels: (name) => all.namespaces.lister.get({ name })?.metadata.labels,
      get budgets() {
        return all.budgets.lister.list();
      },
      volumes,
      devices,
      defaultSpread: (pod) => spread.rulesFor(pod),
      spreadCounts,
    }),
    close: () => {
      for (const each of subscriptions) each.close();
    },
  };
}

const byNamespace = 'namespace';

/** One function for all informers: an index may be added again, but only by the same function. */
function namespaceOf({ metadata: { namespace = '' } }: KubeObject): readonly string[] {
  return [namespace];
}

const byNode = 'node';

function nodeOfAttachment({ spec }: VolumeAttachment): readonly string[] {
  return [spec.nodeName];
}

type ChangeType = 'added' | 'updated' | 'deleted';

function nodeChanged({ state, happened }: Followed, type: ChangeType, node: Node, previous: Node | undefined): void {
  const name = node.metadata.name ?? '';
  if (type === 'deleted') {
    state.removeNode(name);
    happened({ kind: 'node-gone' });
    return;
  }
  if (previous && sameJson(schedulingFacts(previous), schedulingFacts(node))) return;
  const before = state.node(name);
  state.putNode(node);
  const after = state.node(name);
  if (after) happened({ kind: 'node', before, after });
}

/** What of a node matters to placing pods; heartbeats do not. */
function schedulingFacts({ metadata, spec, status }: Node): unknown {
  const { taints, unschedulable, podPreemptionPolicy } = spec ?? {};
  return [metadata.labels, taints, unschedulable, podPreemptionPolicy, status?.allocatable, status?.images];
}

function podChanged(followed: Followed, type: ChangeType, pod: Pod, previous: Pod | undefined): void {
  const { state, settled, happened } = followed;
  const key = keyOf(pod);
  const { uid = '' } = pod.metadata;
  if (type === 'deleted' || isFinished(pod)) {
    settled(key);
    const before = state.remove(uid);
    if (before) happened({ kind: 'pod', before });
    return;
  }
  const demand = readDemand(followed, pod);
  if (!demand) return;
  if (pod.spec.nodeName) {
    if (followed.profile.resizePreemption === 'scheduler' && isResizeDeferred(pod)) {
      followed.wanting(key, demand, previous !== undefined && !isResizeDeferred(previous));
    } else settled(key);
    const known = state.place(pod.spec.nodeName, demand);
    // One that this scheduler has just placed is known already, but news to the pods that wait.
    const before = previous?.spec.nodeName ? known : undefined;
    if (!before || !sameJson(companyFacts(before), companyFacts(demand))) {
      happened({ kind: 'pod', before, after: demand });
    }
  } else if (!needsNode(pod)) {
    settled(key);
    state.nominate('', demand);
  } else {
    state.nominate(pod.status?.nominatedNodeName ?? '', demand);
    const isChanged = previous !== undefined && !sameJson(wishes(previous), wishes(pod));
    followed.wanting(key, demand, isChanged);
  }
}

/** What of a pod on a node matters to others. */
function companyFacts({ pod, amounts }: Demand): unknown {
  return [pod.metadata.labels, isTerminating(pod), [...amounts]];
}

/** What of a waiting pod matters to where it may go. */
function wishes({ metadata, spec, status }: Pod): unknown {
  return [spec, metadata.labels, status?.resourceClaimStatuses];
}

/** Whether the pod waits for this scheduler to give it a node. */
export function needsNode(pod: Pod): boolean {
  const { spec } = pod;
  const isOurs = (spec.schedulerName ?? schedulerName) === schedulerName;
  const isGated = (spec.schedulingGates ?? []).length > 0;
  return isOurs && !isGated && !spec.nodeName && !isTerminating(pod) && !isFinished(pod);
}

function readDemand({ log }: Followed, pod: Pod): Demand | undefined {
  try {
    return demandOf(pod);
  } catch (error) {
    log.error('what a pod asks for cannot be read', { pod: keyOf(pod), error });
    return undefined;
  }
}
