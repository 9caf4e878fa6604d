import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { FeatureGate } from '@slipway/feature-gates';
import { metricText } from '@slipway/feature-gates/metrics';
import type { Clock, Kube, ResourceRef } from '@slipway/kube';
import type { ComponentRun } from './component/component.js';
import { type ComponentName, gateValuesOf } from './component-gates.js';
import type { KeyPair } from './issue-certificates.js';

export interface ComponentPagesOptions {
  readonly component: ComponentName;
  /** Name of its node or host. */
  readonly instance: string;
  /** Kubernetes version it is of, such as `1.34`. */
  readonly version: () => string;
  /** As the component itself: it asks the API server who comes, and whether that one may. */
  readonly kube: Kube;
  /** The cluster has one for all that listens. */
  readonly serving: KeyPair;
  readonly clientAuthority: string;
  /** Where Kubernetes has it listen; another port is taken where that one is in use. 0 takes any. */
  readonly port: number;
  readonly clock: Clock;
}

/** A run of a component, as its pages tell of it. */
interface Shown {
  readonly gate: FeatureGate;
  /** Its `--feature-gates` flag. */
  readonly pin: string;
  readonly startedMs: number;
}

/**
 * The pages that a component of Kubernetes serves about itself, on an address of its own on this machine: `/metrics`
 * and `/healthz`, and of a kubelet `/configz`. Who comes shows a token or a certificate, as there.
 */
export class ComponentPages {
  readonly component: ComponentName;
  readonly instance: string;
  readonly #options: ComponentPagesOptions;
  #port: number;
  #server: Server | undefined;
  #shown: Shown | undefined;

  constructor(options: ComponentPagesOptions) {
    this.component = options.component;
    this.instance = options.instance;
    this.#options = options;
    this.#port = options.port;
  }

  /** Known once they were served; the same after every start. */
  get port(): number {
    return this.#port;
  }

  /** `https://127.0.0.1:10259`. */
  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** Serves the pages while `run` runs. `told` hears the port before. */
  beside(
    run: ComponentRun,
    gate: FeatureGate,
    pin: () => string,
    told: (port: number) => void = () => {},
  ): ComponentRun {
    return {
      start: async () => {
        this.#shown = { gate, pin: pin(), startedMs: this.#options.clock.now() };
        await this.#open();
        told(this.#port);
        await run.start();
      },
      stop: async () => {
        this.#server?.closeAllConnections();
        this.#server?.close();
        this.#server = undefined;
        await run.stop();
      },
    };
  }

  async #open(): Promise<void> {
    try {
      this.#server = await this.#listen(this.#port);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      this.#server = await this.#listen(0);
    }
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #listen(port: number): Promise<Server> {
    const { serving, clientAuthority: ca } = this.#options;
    const tls = { cert: serving.certificate, key: serving.key, ca, requestCert: true, rejectUnauthorized: false };
    const server = createServer(tls, (request, response) => void this.#answer(request, response));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const status = await this.#refusal(request, path).catch(() => 500);
    const page = status === undefined ? this.#page(path) : undefined;
    response.writeHead(status ?? (page === undefined ? 404 : 200), { 'content-type': 'text/plain; charset=utf-8' });
    response.end(page ?? '');
  }

  #page(path: string): string | undefined {
    const shown = this.#shown;
    if (!shown) return undefined;
    if (path === '/healthz') return 'ok';
    if (path === '/metrics') return this.#metrics(shown);
    const featureGates = gateValuesOf(shown.pin);
    if (path === '/configz' && this.component === 'kubelet') return JSON.stringify({ kubeletconfig: { featureGates } });
    return undefined;
  }

  #metrics({ gate, startedMs }: Shown): string {
    const version = this.#options.version();
    const [major = '', minor = ''] = version.split('.');
    const one = (name: string, help: string, labels: Record<string, string>) =>
      metricText(name, 'gauge', help, [{ labels, value: 1 }]);
    const start = 'When the process began, in seconds since the epoch.';
    return (
      one('kubernetes_build_info', '[ALPHA] Which build this process is; always 1.', {
        git_version: `v${version}.0`,
        major,
        minor,
      }) +
      gate.metrics() +
      metricText('process_start_time_seconds', 'gauge', start, [{ value: startedMs / 1000 }]) +
      one('version_info', '[ALPHA] Which version it shows, and is compatible with; always 1.', {
        binary: `${version}.0`,
        component: 'kube',
        emulation: version,
        min_compat: version,
      })
    );
  }

  /** Returns the status for a caller without access; undefined for one with access. */
  async #refusal(request: IncomingMessage, path: string): Promise<number | undefined> {
    const isOpen = path === '/healthz' && this.component !== 'kubelet';
    if (isOpen) return undefined;
    const user = certifiedUser(request.socket as TLSSocket) ?? (await this.#tokenUser(request));
    if (!user) return 401;
    const spec = { ...user, ...this.#attributes(path) };
    const review = await this.#options.kube
      .resource(SubjectAccessReview)
      .create({ ...reviewOf('SubjectAccessReview'), spec });
    return review.status?.allowed === true ? undefined : 403;
  }

  /** What a kubelet asks for is a part of its node, of other components it is a path. */
  #attributes(path: string): object {
    if (this.component !== 'kubelet') return { nonResourceAttributes: { verb: 'get', path } };
    const subresource = path.slice(1);
    return { resourceAttributes: { verb: 'get', resource: 'nodes', subresource, name: this.instance } };
  }

  async #tokenUser({ headers }: IncomingMessage): Promise<ReviewedUser | undefined> {
    const [, token] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
    if (token === undefined) return undefined;
    const reviews = this.#options.kube.resource(TokenReview);
    const { status } = await reviews.create({
      ...reviewOf('TokenReview', 'authentication.k8s.io/v1'),
      spec: { token },
    });
    if (status?.authenticated !== true) return undefined;
    return { user: status.user?.username ?? '', groups: status.user?.groups ?? [] };
  }
}

interface ReviewedUser {
  readonly user: string;
  readonly groups: readonly string[];
}

const SubjectAccessReview: ResourceRef = review('authorization.k8s.io', 'SubjectAccessReview');
const TokenReview: ResourceRef = review('authentication.k8s.io', 'TokenReview');

function review(group: string, kind: string): ResourceRef {
  return { group, version: 'v1', kind, plural: `${kind.toLowerCase()}s`, namespaced: false };
}

function reviewOf(kind: string, apiVersion = 'authorization.k8s.io/v1') {
  return { apiVersion, kind, metadata: {} };
}

/** Who a client certificate of the cluster names: a common name, and organizations as groups. */
function certifiedUser(socket: TLSSocket): ReviewedUser | undefined {
  if (!socket.authorized) return undefined;
  const { CN, O = [] } = socket.getPeerCertificate().subject as { CN?: string; O?: string | string[] };
  return CN === undefined ? undefined : { user: CN, groups: [O, 'system:authenticated'].flat() };
}
