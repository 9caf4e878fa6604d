import type { Clock, Informer, InformerFactory, KubeObject, ResourceRef } from '@slipway/kube';
import type { ComponentDefinition } from '../api/feature-definition.js';
import { Renewals } from '../uses/renewals.js';
import { leaseRoster, nodeRoster, type Roster } from '../uses/roster.js';

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

const Node: ResourceRef = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

/** Where nodes renew their leases, and API servers their identities. */
const nodeLeases = { namespace: 'kube-node-lease' };
const apiServerIdentities = {
  namespace: 'kube-system',
  labelSelector: 'apiserver.kubernetes.io/identity=kube-apiserver',
};

/** What is not renewed for this long is not live. Nodes and API servers renew every 10 s. */
const liveWithinMs = 40_000;

/** Watches Nodes and leases, as far as some definition asks for them, and makes rosters of them. */
export class RosterWatch {
  readonly #informers: InformerFactory;
  readonly #clock: Clock;
  readonly #renewals = new Renewals();
  readonly #watched = new Map<string, Informer<LeaseObject>>();
  readonly #listeners = new Set<() => void>();
  #nodes: Informer | undefined;

  constructor(informers: InformerFactory, clock: Clock) {
    this.#informers = informers;
    this.#clock = clock;
  }

  /** Calls back when a process is expected that was not, or the other way round. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** The expected processes of a component; undefined until they are listed. The first question begins the watching. */
  rosterOf({ roster, selector, namespace: where }: ComponentDefinition, namespace: string): Roster | undefined {
    switch (roster) {
      case 'Nodes': {
        const leases = this.#leases(nodeLeases);
        const nodes = this.#watchNodes();
        if (!leases.synced() || !nodes.synced()) return undefined;
        const names = nodes.lister.list().map(({ metadata }) => metadata.name ?? '');
        return nodeRoster(names.sort(), (node) => this.#isLive(`${nodeLeases.namespace}/${node}`));
      }
      case 'APIServers':
        return this.#leaseRoster(apiServerIdentities);
      case 'Leases':
        return this.#leaseRoster({ namespace: where ?? namespace, labelSelector: selector ?? '' });
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

  #leaseRoster(selection: { readonly namespace: string; readonly labelSelector: string }): Roster | undefined {
    const leases = this.#leases(selection);
    if (!leases.synced()) return undefined;
    const identities = leases.lister.list().map(({ metadata, spec }) => ({
      name: metadata.name ?? '',
      holder: spec.holderIdentity,
      hostname: metadata.labels?.['kubernetes.io/hostname'],
    }));
    return leaseRoster(identities, (name) => this.#isLive(`${selection.namespace}/${name}`));
  }

  #leases(selection: { readonly namespace: string; readonly labelSelector?: string }): Informer<LeaseObject> {
    const key = `${selection.namespace} ${selection.labelSelector ?? ''}`;
    const known = this.#watched.get(key);
    if (known) return known;
    const informer = this.#informers.informer(Lease, selection);
    this.#watched.set(key, informer);
    informer.onChange(({ type, object }) => {
      const lease = keyOfLease(object);
      if (type === 'deleted') this.#renewals.forget(lease);
      else this.#renewals.observe(lease, object.spec.renewTime ?? '', this.#clock.monotonicMs());
      if (type !== 'updated') this.#changed();
    });
    void informer.whenSynced().then(() => this.#changed());
    return informer;
  }

  #watchNodes(): Informer {
    if (this.#nodes) return this.#nodes;
    const informer = this.#informers.informer(Node);
    this.#nodes = informer;
    informer.onChange(({ type }) => {
      if (type !== 'updated') this.#changed();
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
