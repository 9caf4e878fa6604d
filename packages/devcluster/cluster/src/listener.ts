import type { ApiHandler } from '@slipway/api-server/request/request';
import { type HttpsBinding, type HttpsOptions, serveHttps } from '@slipway/api-server/transport/https-server';
import { listenError } from './listening.js';

/** How long requests under way may take once nothing new is accepted. */
const closeWithinMs = 2_000;

export interface ListenerOptions extends Omit<HttpsOptions, 'port'> {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** An address of the cluster that can be closed and opened again: it keeps the port it was first given. */
export class Listener {
  readonly #api: ApiHandler;
  readonly #options: ListenerOptions;
  #port: number;
  #binding: HttpsBinding | undefined;

  constructor(api: ApiHandler, options: ListenerOptions) {
    this.#api = api;
    this.#options = options;
    this.#port = options.port;
  }

  /** Known once it was opened. */
  get port(): number {
    return this.#port;
  }

  /** `https://127.0.0.1:6443`. */
  get url(): string {
    return `https://${reachable(this.#options.host)}:${this.#port}`;
  }

  /** @throws ClusterStartError PortInUse or BadOption */
  async open(): Promise<void> {
    if (this.#binding) return;
    try {
      this.#binding = await serveHttps(this.#api, { ...this.#options, port: this.#port });
    } catch (error) {
      throw listenError(error, this.#options.host, this.#port);
    }
    this.#port = this.#binding.port;
  }

  async close(): Promise<void> {
    const binding = this.#binding;
    this.#binding = undefined;
    await binding?.close(closeWithinMs);
  }
}

/** Clients cannot connect to a wildcard address. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
