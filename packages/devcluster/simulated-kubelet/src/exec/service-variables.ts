import { isIPv6 } from 'node:net';
import type { KubeObject } from '@slipway/kube';
import type { ContainerView } from './container-view.js';

interface Port {
  readonly name?: string;
  readonly protocol?: string;
  readonly port: number;
}

/** Returns the variables that name services: those of the pod's namespace, and the API server. */
export function serviceVariables({ pod, services }: ContainerView): readonly [string, string][] {
  const isWanted = ({ metadata }: KubeObject) =>
    (metadata.namespace === 'default' && metadata.name === 'kubernetes') ||
    (metadata.namespace === pod.metadata.namespace && pod.spec.enableServiceLinks !== false);
  return services()
    .filter((service) => isWanted(service) && service.spec.clusterIP && service.spec.clusterIP !== 'None')
    .flatMap(({ metadata, spec }) => variablesOf(variableName(metadata.name ?? ''), spec.clusterIP, spec.ports ?? []));
}

function variablesOf(name: string, clusterIP: string, ports: readonly Port[]): readonly [string, string][] {
  const address = (scheme: string, port: number) =>
    `${scheme}://${isIPv6(clusterIP) ? `[${clusterIP}]` : clusterIP}:${port}`;
  const schemeOf = ({ protocol = 'TCP' }: Port) => protocol.toLowerCase();
  const [first] = ports;
  return [
    [`${name}_SERVICE_HOST`, clusterIP],
    ...ports.slice(0, 1).map(({ port }): [string, string] => [`${name}_SERVICE_PORT`, String(port)]),
    ...ports.flatMap((port): [string, string][] =>
      port.name ? [[`${name}_SERVICE_PORT_${variableName(port.name)}`, String(port.port)]] : [],
    ),
    ...(first ? [[`${name}_PORT`, address(schemeOf(first), first.port)] as [string, string]] : []),
    ...ports.flatMap((port): [string, string][] => {
      const scheme = schemeOf(port);
      const prefix = `${name}_PORT_${port.port}_${scheme.toUpperCase()}`;
      return [
        [prefix, address(scheme, port.port)],
        [`${prefix}_PROTO`, scheme],
        [`${prefix}_PORT`, String(port.port)],
        [`${prefix}_ADDR`, clusterIP],
      ];
    }),
  ];
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
