import { type Container, isFinished, isReady, isTerminating, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { EndpointPort, Service, ServicePort } from '@slipway/kube-objects/kinds/api/services';

/** A pod behind a service, as far as those who connect to it care. */
export interface Backend {
  readonly pod: Pod;
  readonly address: string;
  /** Whether it takes new connections: of those on their way out only where the service publishes all. */
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  /** Where the ports of the service lead on this pod; a name may mean another number on each. */
  readonly ports: readonly EndpointPort[];
}

/** The pods that a service leads to. Empty for services whose endpoints another client writes. */
export function backendsOf(service: Service, pods: readonly Pod[]): readonly Backend[] {
  return pods.flatMap((pod): readonly Backend[] => {
    const address = pod.status?.podIP;
    if (!address || isFinished(pod)) return [];
    const [serving, terminating] = [isReady(pod), isTerminating(pod)];
    const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
    return [{ pod, address, ready, serving, terminating, ports: portsOf(service, pod) }];
  });
}

/** Whether the endpoints of a service are ours to write. */
export function hasOwnEndpoints({ spec }: Service): boolean {
  return spec.type !== 'ExternalName' && spec.selector !== undefined;
}

/** The host name under which DNS knows the pod of a headless service. */
export function hostnameFor(service: Service, { spec, metadata }: Pod): string | undefined {
  const isNamed = spec.hostname && spec.subdomain === service.metadata.name;
  return isNamed && metadata.namespace === service.metadata.namespace ? spec.hostname : undefined;
}

/** The object that an endpoint stands for. */
export function targetOf({ metadata }: Pod) {
  const { namespace = '', name = '', uid = '' } = metadata;
  return { kind: 'Pod', namespace, name, uid };
}

/** The labels that the endpoints of a service have in common with it. */
export function labelsFor({ metadata, spec }: Service, own: Readonly<Record<string, string>>): Record<string, string> {
  const isHeadless = spec.clusterIP === 'None' || !spec.clusterIP;
  return { ...metadata.labels, ...(isHeadless && { 'service.kubernetes.io/headless': '' }), ...own };
}

function portsOf({ spec }: Service, pod: Pod): readonly EndpointPort[] {
  return (spec.ports ?? []).flatMap((port): readonly EndpointPort[] => {
    const number = typeof port.targetPort === 'number' ? port.targetPort : namedPort(pod, port);
    if (number === undefined) return [];
    const { name = '', protocol, appProtocol } = port;
    return [{ name, port: number, protocol, ...(appProtocol && { appProtocol }) }];
  });
}

function namedPort({ spec }: Pod, { targetPort, protocol }: ServicePort): number | undefined {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const ports = [...spec.containers, ...sidecars].flatMap((container: Container) => container.ports ?? []);
  return ports.find((port) => port.name === targetPort && (port.protocol ?? 'TCP') === protocol)?.containerPort;
}
