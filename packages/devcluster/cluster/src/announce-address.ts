import { hasReason, type Kube, type Logger, type Runnable } from '@slipway/kube';
import {
  type EndpointSubset,
  type Endpoints,
  endpointSlices,
  endpoints,
} from '@slipway/kube-objects/kinds/api/services';

export interface AnnounceAddressOptions {
  readonly kube: Kube;
  readonly log: Logger;
  /** 1 for the first of the API servers. */
  readonly number: number;
  /** Where it listens. */
  readonly url: string;
}

/**
 * Lets others find one API server behind the service `default/kubernetes`, while it runs. Each has a slice of its own,
 * for here they differ in their ports. That of the first is called as in Kubernetes. The Endpoints, which older clients
 * read, are one object for all of them.
 */
export function announceAddress({ kube, log, number, url }: AnnounceAddressOptions): Runnable {
  const slices = kube.resource(endpointSlices);
  const ref = { namespace: 'default', name: number === 1 ? 'kubernetes' : `kubernetes-${number}` };
  const said = (error: unknown) => log.warn('the address of an API server could not be announced', { url, error });
  return {
    name: 'announce-address',
    async start(signal) {
      const options = { fieldManager: 'kube-apiserver', force: true, signal };
      const announced = [
        slices.apply({ ...sliceOf(url), metadata: { ...ref, labels } }, options),
        changeEndpoints(kube, url, true),
      ];
      await Promise.all(announced).catch((error: unknown) => {
        if (!signal.aborted) said(error);
      });
    },
    async stop() {
      await Promise.allSettled([slices.delete(ref), changeEndpoints(kube, url, false)]);
    },
  };
}

/** Adds a server to the Endpoints that all share, or takes it out. @throws StatusError */
async function changeEndpoints(kube: Kube, url: string, isUp: boolean): Promise<void> {
  const resource = kube.resource(endpoints);
  const own = subsetOf(url);
  const portOf = ({ ports }: EndpointSubset) => ports?.[0]?.port ?? 0;
  const ref = { namespace: 'default', name: 'kubernetes' };
  const change = (draft: Endpoints) => {
    const others = (draft.subsets ?? []).filter((one) => portOf(one) !== portOf(own));
    draft.subsets = [...others, ...(isUp ? [own] : [])].sort((a, b) => portOf(a) - portOf(b));
  };
  try {
    await resource.mutate(ref, change);
  } catch (error) {
    if (!isUp || !hasReason(error, 'NotFound')) throw error;
    // The endpoint slice controller must not mirror this: its slices exist already.
    const metadata = { ...ref, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } };
    try {
      await resource.create({ apiVersion: 'v1', kind: 'Endpoints', metadata, subsets: [own] });
    } catch (lost) {
      if (!hasReason(lost, 'AlreadyExists')) throw lost;
      await resource.mutate(ref, change);
    }
  }
}

function subsetOf(url: string): EndpointSubset {
  const { address, port } = endpointOf(url);
  return { addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] };
}

const labels = { 'kubernetes.io/service-name': 'kubernetes' };

function sliceOf(url: string) {
  const { address, port } = endpointOf(url);
  return {
    addressType: address.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
}

function endpointOf(url: string): { readonly address: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { address: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}
