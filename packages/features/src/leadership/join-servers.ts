import type { InformerFactory, Kube, Logger } from '@slipway/kube';
import type { FeatureDefinition } from '../api/feature-definition.js';
import { digest } from '../lifecycle/digest.js';
import { kubernetesGates } from '../releases/gate-catalogue.js';
import { Lease } from '../uses/watch-rosters.js';
import { Fence } from './fence.js';
import { type IdentityLease, identityLease } from './identity-lease.js';
import { Leadership } from './leadership.js';
import { leaseRefOf, serverLeaseSelector } from './server-lease.js';

/** Of this package. Servers of different versions live side by side while they are replaced. */
const ownVersion = '0.1.0';

export interface JoinOptions {
  readonly kube: Kube;
  readonly informers: InformerFactory;
  readonly log: Logger;
  /** Name of this server among its peers, no two alike. */
  readonly name: string;
  /** Namespace of the leases by which servers know each other. */
  readonly namespace: string;
  /** New for each start. */
  readonly incarnation: string;
  readonly version?: string;
  readonly catalogue?: string;
  readonly shipped: readonly FeatureDefinition[];
}

/** What a server has that is one among others. */
export interface Membership {
  /** The way to write for everything that only a leader may do: closed while this server is out of touch. */
  readonly kube: Kube;
  readonly leadership: Leadership;
  readonly lease: IdentityLease;
}

/** Makes a server one of the feature servers of a cluster, as soon as its lease runs. */
export function joinServers(options: JoinOptions): Membership {
  const { kube, informers, log, name, namespace, incarnation, shipped } = options;
  const { version = ownVersion, catalogue = kubernetesGates.newest } = options;
  const known = digest(shipped.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort());
  const self = { holder: `${name}_${incarnation}`, version, catalogue, known };
  const fence = new Fence(kube.clock);
  const leases = informers.informer(Lease, { namespace, labelSelector: serverLeaseSelector });
  const leadership = new Leadership({
    self,
    lease: leaseRefOf(name, namespace).name,
    leases,
    fence,
    clock: kube.clock,
  });
  return {
    kube: kube.through((transport) => fence.around(transport)),
    leadership,
    lease: identityLease({ kube, log, name, namespace, server: self, fence, abandoned: () => leadership.abandoned() }),
  };
}
