import type { KubeObject } from '@slipway/kube';
import type { Store } from '@slipway/object-store/store';
import type { Endpoint, FindService } from './ask-webhook.js';

/**
 * Resolves services with a real listener. ClusterIPs are not reachable in a simulated cluster, so that is
 * an external name, or endpoints written by a client.
 */
export function findService(store: Pick<Store, 'get' | 'list'>): FindService {
  return ({ namespace, name, port = 443 }) => {
    const quoted = JSON.stringify(name);
    const service = store.get('services', namespace, name)?.object;
    if (!service) throw new Error(`service ${quoted} not found`);
    const { type, externalName, ports = [] } = service.spec;
    if (type === 'ExternalName') return { host: String(externalName), port };
    const wanted = (ports as readonly ServicePort[]).find((one) => one.port === port);
    if (!wanted) throw new Error(`no service port ${port} found for service ${quoted}`);
    const found = [...fromEndpoints(store, namespace, name), ...fromSlices(store, namespace, name)];
    const endpoint = found.find(({ portName = '' }) => portName === (wanted.name ?? ''));
    if (!endpoint) throw new Error(`no endpoints available for service ${quoted}`);
    return endpoint;
  };
}

interface ServicePort {
  readonly name?: string;
  readonly port: number;
}

interface NamedEndpoint extends Endpoint {
  readonly portName: string | undefined;
}

function fromEndpoints(store: Pick<Store, 'get'>, namespace: string, name: string): NamedEndpoint[] {
  const subsets: readonly Subset[] = store.get('endpoints', namespace, name)?.object.subsets ?? [];
  return subsets.flatMap(({ addresses = [], ports = [] }) =>
    addresses.flatMap(({ ip }) => ports.map(({ name: portName, port }) => ({ host: ip, portName, port }))),
  );
}

interface Subset {
  readonly addresses?: readonly { readonly ip: string }[];
  readonly ports?: readonly ServicePort[];
}

function fromSlices(store: Pick<Store, 'list'>, namespace: string, name: string): NamedEndpoint[] {
  const { entries } = store.list('endpointslices.discovery.k8s.io', { namespace });
  return entries
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name)
    .flatMap(({ endpoints = [], ports = [] }: KubeObject) =>
      (endpoints as readonly { addresses?: readonly string[]; conditions?: { ready?: boolean } }[])
        .filter(({ conditions }) => conditions?.ready !== false)
        .flatMap(({ addresses = [] }) =>
          (ports as readonly ServicePort[]).flatMap(({ name: portName, port }) =>
            addresses.map((host) => ({ host, portName, port })),
          ),
        ),
    );
}
