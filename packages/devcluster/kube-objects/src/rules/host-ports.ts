import type { Pod } from '../kinds/api/pods.js';

/** A port of the node itself that a pod listens on. */
export interface HostPort {
  readonly address: string;
  readonly protocol: string;
  readonly port: number;
}

const everyAddress = '0.0.0.0';

/** Ports that the containers and sidecars of a pod take of their node. */
export function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...spec.containers, ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, containerPort, hostIP, protocol = 'TCP' }) => {
      const port = hostPort || (spec.hostNetwork ? containerPort : 0);
      return port ? [{ address: hostIP || everyAddress, protocol, port }] : [];
    }),
  );
}

/** Whether two pods with these ports cannot be on one node. */
export function collide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.address === b.address || a.address === everyAddress || b.address === everyAddress;
}
