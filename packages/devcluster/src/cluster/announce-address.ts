import type { Kube, Logger, ResourceRef, Runnable } from '@slipway/kube';

export interface AnnounceAddressOptions {
  readonly kube: Kube;
  readonly log: Logger;
  /** 1 for the first of the API servers. */
  readonly number: number;
  /** Where it listens. */
  readonly url: string;
}

const EndpointSlice: ResourceRef = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};

/**
 * Lets others find one API server behind the service `default/kubernetes`, while it runs. Each has a slice of its own, for
 * here they differ in their ports. That of the first is called as in Kubernetes.
 */
export function announceAddress({ kube, log, number, url }: AnnounceAddressOptions): Runnable {
  const slices = kube.resource(EndpointSlice);
  const ref = { namespace: 'default', name: number === 1 ? 'kubernetes' : `kubernetes-${number}` };
  const said = (error: unknown) => log.warn('the address of an API server could not be announced', { url, error });
  return {
    name: 'announce-address',
    async start(signal) {
      const options = { fieldManager: 'kube-apiserver', force: true, signal };
      await slices.apply({ ...sliceOf(url), metadata: { ...ref, labels } }, options).catch((error: unknown) => {
        if (!signal.aborted) said(error);
      });
    },
    stop: () => slices.delete(ref).catch(() => {}),
  };
}

const labels = { 'kubernetes.io/service-name': 'kubernetes' };

function sliceOf(url: string) {
  const { hostname, port } = new URL(url);
  const address = hostname.replace(/^\[|\]$/g, '');
  return {
    addressType: address.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'https', port: Number(port), protocol: 'TCP' }],
  };
}
