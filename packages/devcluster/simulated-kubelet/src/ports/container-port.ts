import type { KubeObject } from '@slipway/kube';

/** A port of a simulated container that a client connects to. */
export interface ContainerPort {
  /** As it is now. */
  readonly pod: KubeObject;
  /** The container that names the port, or, where none does, the first that runs. */
  readonly container: string;
  readonly port: number;
}

/**
 * What answers on a port: a function that is handed each HTTP request, or a port of this machine, on 127.0.0.1, to which
 * connections are led as they are.
 */
export type PortBackend = ((request: Request) => Response | Promise<Response>) | { readonly localPort: number };

/** Says what answers on a port; undefined leaves it to the simulation. Asked for each connection. */
export type PortBackends = (port: ContainerPort) => PortBackend | undefined;
