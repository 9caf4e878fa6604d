import {
  type Clock,
  type Informer,
  type InformerFactory,
  type KubeObject,
  type ResourceRef,
  sameJson,
} from '@slipway/kube';
import type { ComponentDefinition } from '../api/feature-definition.js';
import { kubernetesNamespace } from '../api/group.js';
import { Renewals } from './renewals.js';
import { leaseRoster, nodeRoster, podRoster, type Roster, type RunningPod } from './roster.js';

export interface LeaseObject extends KubeObject {
  readonly spec: { readonly holderIdentity?: string; readonly renewTime?: string };
}

/** The resource of coordination.k8s.io/v1. */
export const Lease: ResourceRef<LeaseObject> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

interface PodObject extends KubeObject {
  readonly spec: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

const Pod: ResourceRef<PodObject> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
interface NodeObject extends KubeObject {
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    /** Gates that its kubelet has on, as far as the control plane has to know: from Kubernetes 1.35 on. */
    readonly declaredFeatures?: readonly string[];
  };
}

const Node: ResourceRef<NodeObject> = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

/** Where nodes renew their leases, and API servers their identities. */
const nodeLeases = { namespace: 'kube-node-lease' };
const apiServerIdentities = {
  namespace: 'kube-system',
  labelSelector: 'apiserver.kubernetes.io/identity=kube-apiserver',
};

/** What is not renewed for this long is not live. Nodes and API servers renew every 10 s. */
const liveWithinMs = 40_000;

/** Watches nodes, pods and leases, as far as some definition asks for them, and makes rosters of them. */
export class RosterWatch {
  readonly #informers: InformerFactory;
  readonly #clock: Clock;
  readonly #renewals = new Renewals();
  readonly #watched = new Map<string, Informer<LeaseObject>>();
  readonly #listeners = new Set<() => void>();
  readonly #pods = new Map<string, Informer<PodObject>>();
  #nodes: Informer<NodeObject> | undefined;

  constructor(informers: InformerFactory, clock: Clock) {
    this.#informers = informers;
    this.#clock = clock;
  }

  /** Calls back when a process is expected that was not, or the other way round. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** The expected processes of a component; undefined until they are listed. The first question begins the watching. */
  rosterOf({ name, roster, selector, lease, namespace: where }: ComponentDefinition, own: string): Roster | undefined {
    const namespace = where ?? own;
    switch (roster) {
      case 'Nodes': {
        const leases = this.#leases(nodeLeases);
        const nodes = this.#watchNodes();
        if (!leases.synced() || !nodes.synced()) return undefined;
        const names = nodes.lister.list().map(({ metadata }) => metadata.name ?? '');
        const isLive = (node: string) => this.#isLive(`${nodeLeases.namespace}/${node}`);
        const declared = (node: string) => nodes.lister.get({ name: node })?.status?.declaredFeatures ?? [];
        return nodeRoster(names.sort(), isLive, name === 'kubelet' ? declared : undefined);
      }
      case 'APIServers':
        return this.#leaseRoster(apiServerIdentities);
      case 'Pods':
        return this.#podRoster({ namespace, labelSelector: selector ?? '' });
      case 'Leases':
        return this.#leaseRoster({
          namespace,
          ...(lease === undefined ? { labelSelector: selector ?? '' } : { fieldSelector: `metadata.name=${lease}` }),
        });
      case 'Self':
        return undefined;
    }
  }

  /** Which of the leases are live, as a text that changes when that does. */
  liveness(): string {
    return [...this.#watched.values()]
      .flatMap((informer) => informer.lister.list())
      .map((lease) => (this.#isLive(keyOfLease(lease)) ? '1' : '0'))
      .join('');
  }

  #podRoster(selection: LocalSelection): Roster | undefined {
    const leases = this.#leases(nodeLeases);
    const pods = this.#watchPods(selection);
    if (!leases.synced() || !pods.synced()) return undefined;
    const isAway = (node: string) => {
      const ref = { name: node, namespace: nodeLeases.namespace };
      return leases.lister.get(ref) !== undefined && !this.#isLive(`${ref.namespace}/${node}`);
    };
    return podRoster(pods.lister.list().flatMap(runningPod), isAway);
  }

  #leaseRoster(selection: LocalSelection): Roster | undefined {
    const leases = this.#leases(selection);
    const nodes = selection.namespace === kubernetesNamespace ? this.#watchNodes() : undefined;
    if (!leases.synced() || nodes?.synced() === false) return undefined;
    const nodeOf = new Map(nodes?.lister.list().map((node) => [hostOf(node), node.metadata.name ?? '']));
    const identities = leases.lister.list().map(({ metadata, spec }) => ({
      name: metadata.name ?? '',
      holder: spec.holderIdentity,
      hostname: metadata.labels?.[hostnameLabel],
    }));
    const isLive = (name: string) => this.#isLive(`${selection.namespace}/${name}`);
    return leaseRoster(identities, isLive, nodes && ((host) => nodeOf.get(host)));
  }

  #watchPods(selection: LocalSelection): Informer<PodObject> {
    const key = keyOfSelection(selection);
    const known = this.#pods.get(key);
    if (known) return known;
    const informer = this.#informers.informer(Pod, { ...selection, transform: slimPod });
    this.#pods.set(key, informer);
    informer.onChange(({ type, object, previous }) => {
      if (type === 'deleted' || runningPod(object)[0]?.node !== (previous && runningPod(previous)[0]?.node))
        this.#changed();
    });
    void informer.whenSynced().then(() => this.#changed());
    return informer;
  }

  #leases(selection: LocalSelection): Informer<LeaseObject> {
    const key = keyOfSelection(selection);
    const known = this.#watched.get(key);
    if (known) return known;
    const informer = this.#informers.informer(Lease, selection);
    this.#watched.set(key, informer);
    informer.onChange(({ type, object, previous }) => {
      const lease = keyOfLease(object);
      if (type === 'deleted') this.#renewals.forget(lease);
      else this.#renewals.observe(lease, object.spec.renewTime ?? '', this.#clock.monotonicMs());
      if (type !== 'updated' || object.spec.holderIdentity !== previous?.spec.holderIdentity) this.#changed();
    });
    void informer.whenSynced().then(() => this.#changed());
    return informer;
  }

  #watchNodes(): Informer<NodeObject> {
    if (this.#nodes) return this.#nodes;
    const informer = this.#informers.informer(Node, { transform: slimNode });
    this.#nodes = informer;
    informer.onChange(({ type, object, previous }) => {
      if (type !== 'updated' || !previous || !sameJson(object.status, previous.status)) this.#changed();
    });
    void informer.whenSynced().then(() => this.#changed());
    return informer;
  }

  #isLive(lease: string): boolean {
    return this.#renewals.isLive(lease, this.#clock.monotonicMs(), liveWithinMs);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

function keyOfLease({ metadata }: LeaseObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

interface LocalSelection {
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

function keyOfSelection({ namespace, labelSelector = '', fieldSelector = '' }: LocalSelection): string {
  return `${namespace} ${labelSelector} ${fieldSelector}`;
}

/** A pod that has a node and has not ended runs something, on its way out too. One that has not begun runs nothing yet. */
function runningPod({ metadata, spec, status }: PodObject): readonly RunningPod[] {
  const runs = spec.nodeName !== undefined && (status?.phase === 'Running' || status?.phase === 'Unknown');
  return runs ? [{ name: metadata.name ?? '', node: spec.nodeName ?? '' }] : [];
}

const hostnameLabel = 'kubernetes.io/hostname';

/** The name of a node's host, as its kubelet tells it: the address, and else the label, which cloud providers overwrite. */
function hostOf({ metadata: { name = '', labels }, status }: NodeObject): string {
  return status?.addresses?.find(({ type }) => type === 'Hostname')?.address ?? labels?.[hostnameLabel] ?? name;
}

/** The names of a node and of its host, and what its kubelet declares. */
function slimNode(node: NodeObject): NodeObject {
  const { apiVersion, kind, metadata } = node;
  const { name, uid, resourceVersion } = metadata;
  const addresses = [{ type: 'Hostname', address: hostOf(node) }];
  const { declaredFeatures } = node.status ?? {};
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion } as NodeObject['metadata'],
    status: { addresses, ...(declaredFeatures && { declaredFeatures }) },
  };
}

function slimPod({ apiVersion, kind, metadata, spec, status }: PodObject): PodObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion } as PodObject['metadata'],
    spec: spec.nodeName === undefined ? {} : { nodeName: spec.nodeName },
    status: status?.phase === undefined ? {} : { phase: status.phase },
  };
}
