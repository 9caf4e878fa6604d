import { isIPv6 } from 'node:net';
import { badRequest, notFound, serviceUnavailable } from '@slipway/api-machinery/errors/status-errors';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { EndpointSlice } from '@slipway/kube-objects/kinds/api/services';
import type { Call, Core } from '../core/core.js';

/** What a request to a proxy is passed on to. */
export interface ProxyTarget {
  readonly pod: Pod;
  readonly port: number;
  /** '' for http. */
  readonly scheme: string;
  /** Address and port, as errors tell them. */
  readonly host: string;
}

/** `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`, as a proxy is told where to go. */
interface Named {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}

/** @throws StatusError BadRequest when that is not how something is named */
export function named(id: string, what: string): Named {
  const parts = id.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme)) {
    throw badRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  }
  return { scheme, name, port };
}

/**
 * A pod, at the port that was asked for, or else at the first that its containers name.
 * @throws StatusError NotFound, or BadRequest when it has no address yet
 */
export function podTarget(core: Core, { definition, namespace, name: id }: Call): ProxyTarget {
  const { scheme, name, port } = named(id, 'pod');
  const pod = core.store.get('pods', namespace, name)?.object as Pod | undefined;
  if (!pod) throw notFound(definition, name);
  const address = pod.status?.podIP ?? '';
  if (address === '') throw badRequest('address not allowed');
  const first = pod.spec.containers.flatMap(({ ports = [] }) => ports)[0]?.containerPort;
  const wanted = port === '' ? (first ?? (scheme === 'https' ? 443 : 80)) : Number(port);
  return { pod, port: wanted, scheme, host: hostOf(address, port === '' ? wanted : port) };
}

/**
 * One of the pods of a service that are ready, at the port that the service calls so, or by its number; without one, at the port that
 * has no name.
 * @throws StatusError NotFound, or ServiceUnavailable when there is no such port or no such pod
 */
export function serviceTarget(core: Core, { definition, namespace, name: id }: Call): ProxyTarget {
  const { scheme, name, port } = named(id, 'service');
  const service = core.store.get('services', namespace, name)?.object;
  let portName = port;
  if (/^\d+$/.test(port)) {
    if (!service) throw notFound(definition, name);
    const found = (service.spec.ports ?? []).find((each: { port: number }) => each.port === Number(port));
    if (!found) throw serviceUnavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
    portName = found.name ?? '';
  }
  if (!service) throw notFound({ group: '', plural: 'endpoints' }, name);
  const reached = slicesOf(core, namespace, name).flatMap((slice) => targetsIn(core, namespace, slice, portName));
  const chosen = reached[Math.floor(core.random.fraction() * reached.length)];
  if (!chosen) {
    const said = slicesOf(core, namespace, name).length === 0 ? name : id;
    throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(said)}`);
  }
  return { ...chosen, scheme };
}

function slicesOf(core: Core, namespace: string, service: string): readonly EndpointSlice[] {
  const all = core.store.list('endpointslices.discovery.k8s.io', { namespace }).entries;
  return all
    .map(({ object }) => object as EndpointSlice)
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === service);
}

/** Only addresses that a pod has by now are trusted. */
function targetsIn(
  core: Core,
  namespace: string,
  { endpoints, ports }: EndpointSlice,
  portName: string,
): readonly Omit<ProxyTarget, 'scheme'>[] {
  const port = ports?.find(({ name }) => (name ?? '') === portName)?.port;
  if (port === undefined) return [];
  return (endpoints ?? []).flatMap(({ addresses, conditions, targetRef }) => {
    if (conditions?.ready === false || targetRef?.kind !== 'Pod') return [];
    const pod = core.store.get('pods', targetRef.namespace ?? namespace, targetRef.name ?? '')?.object as
      | Pod
      | undefined;
    const address = addresses.find((each) => pod?.status?.podIPs?.some(({ ip }) => ip === each));
    return pod && address !== undefined ? [{ pod, port, host: hostOf(address, port) }] : [];
  });
}

function hostOf(address: string, port: number | string): string {
  return `${isIPv6(address) ? `[${address}]` : address}:${port}`;
}
