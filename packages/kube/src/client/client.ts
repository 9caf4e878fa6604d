import { type Clock, systemClock } from '../clock/clock.js';
import { restAfterLongTurn } from '../clock/turn.js';
import type { ConnectOptions, KubeOptions } from '../config/connect-options.js';
import type { KubeObject, ResourceRef } from '../transport/objects.js';
import type { Transport } from '../transport/transport.js';
import { type Discovery, discover } from './discovery.js';
import { rateLimited } from './rate-limit.js';
import { type ResourceClient, resourceClient } from './resource-client.js';

/** A cluster to talk to. Making one does no I/O. */
export class Kube {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Numbers from 0 up to 1. */
  readonly random: () => number;
  readonly #fieldManager: string | undefined;

  constructor(transport: Transport, options: KubeOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
    this.#fieldManager = options.fieldManager;
    const { qps } = options;
    const limited =
      qps === undefined
        ? transport
        : rateLimited(transport, { clock: this.clock, qps, burst: options.burst ?? Math.max(1, qps * 2) });
    this.transport = yielding(limited, this.clock);
  }

  /**
   * Connects over HTTPS to the cluster a kubeconfig names, or to the one this
   * process runs in. Reads files; sends nothing yet. Limited to 50 requests per
   * second (100 at once) unless told otherwise.
   * @throws KubeconfigError when there is none, or it cannot be used.
   */
  static async connect(options: ConnectOptions = {}): Promise<Kube> {
    const { connectTransport } = await import('../https/connect.js');
    return new Kube(await connectTransport(options), { qps: 50, burst: 100, ...options });
  }

  resource<T extends KubeObject>(resource: ResourceRef<T>): ResourceClient<T> {
    return resourceClient(resource, this.transport, this.#fieldManager);
  }

  /** The same cluster for the same writer, reached through what `wrap` makes of the way there. */
  through(wrap: (transport: Transport) => Transport): Kube {
    const { clock, random } = this;
    const fieldManager = this.#fieldManager;
    return new Kube(wrap(this.transport), { clock, random, ...(fieldManager !== undefined && { fieldManager }) });
  }

  /** Asks the server which resources it has. */
  discover(signal?: AbortSignal): Promise<Discovery> {
    return discover(this.transport, signal);
  }
}

/** Lets the event loop run between requests. A server in the same process may answer many of them without any I/O. */
function yielding(transport: Transport, clock: Clock): Transport {
  return {
    request: (request) =>
      restAfterLongTurn(clock)?.then(() => transport.request(request)) ?? transport.request(request),
    stream: (request, signal) => transport.stream(request, signal),
  };
}
