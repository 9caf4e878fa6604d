import type { ContainerFields, PortFields } from '@slipway/kube-objects/kinds/pod-spec';

interface KnownPort {
  readonly at: string;
  readonly port: PortFields;
}

/** Returns warnings about ports of the containers of a pod that are the same, or overlap. */
export function portWarnings(containers: readonly (readonly [ContainerFields, string])[]): string[] {
  const known = new Map<string, KnownPort[]>();
  return containers.flatMap(([{ ports }, path]) =>
    (ports ?? []).flatMap((port, index) => {
      const at = `${path}.ports[${index}]`;
      const { name = '', hostPort = 0, containerPort = 0, protocol = '', hostIP = '' } = port;
      const key = `${containerPort}/${protocol}`;
      const others = known.get(key) ?? [];
      known.set(key, [...others, { at, port }]);
      const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
      return [
        ...(hostIP !== '' && hostPort === 0 ? [`${at}: hostIP set without hostPort: ${shown}`] : []),
        ...others.flatMap((other) => {
          const how = overlap(port, other.port);
          return how === undefined ? [] : [`${at}: ${how} port definition with ${other.at}`];
        }),
      ];
    }),
  );
}

/** How two ports of the same number and protocol get in each other's way; undefined when they do not. */
function overlap(port: PortFields, other: PortFields): string | undefined {
  const [{ hostIP = '', hostPort = 0 }, { hostIP: otherIP = '', hostPort: otherPort = 0 }] = [port, other];
  if (hostIP === otherIP && hostPort === otherPort) return 'duplicate';
  if (hostPort === 0 || otherPort === 0) return 'overlapping';
  return hostPort === otherPort && (hostIP === '') !== (otherIP === '') ? 'dangerously ambiguous' : undefined;
}
