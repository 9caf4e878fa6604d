import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { timeout } from '@slipway/api-machinery/errors/status-errors';
import type { User } from '@slipway/api-machinery/identity/user';
import { type Clock, parseJson, StatusError } from '@slipway/kube';
import type { Store } from '@slipway/object-store/store';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import type { AdmittedRequest, ApiAnswer } from '../request/request.js';
import type { RequestPath } from '../request/request-path.js';
import { noCache } from '../response/answers.js';
import { forward } from '../streaming/proxy-forward.js';
import type { Endpoint, FindService } from '../webhooks/ask-webhook.js';
import { headersOfUser, isRemoteUserHeader } from './remote-user.js';
import { type RemoteVersion, remoteVersionOf } from './remote-version.js';

export interface RemoteGroupsDeps {
  readonly store: Pick<Store, 'get' | 'list'>;
  readonly definitions: DefinitionRegistry;
  readonly find: FindService;
  /** For requests that bring none. */
  readonly clock: Clock;
  /** Certificate and key that other servers know this one by, in PEM. Default: none is shown. */
  readonly client: { readonly certificate: string; readonly key: string } | undefined;
}

/** One resource or subresource, as the discovery document of a version lists it. */
export interface RemoteResource {
  /** `pods`, or `pods/status`. */
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** What the server of a version said when it was checked last. */
interface Found {
  readonly resources: readonly RemoteResource[];
  /** Path and query of the document with its schemas; undefined where it has none. */
  readonly openapi: string | undefined;
}

/** Why a server does not answer for a version, as a condition says it. */
export interface Unavailable {
  readonly reason: 'ServiceNotFound' | 'FailedDiscoveryCheck';
  readonly message: string;
}

const resource = 'apiservices.apiregistration.k8s.io';
const checkMs = 5_000;
const aggregator: User = { name: 'system:kube-aggregator', groups: ['system:masters'] };

/**
 * The groups that other servers answer for, as the APIServices with a Service say. What this server has definitions of, it
 * answers itself.
 */
export class RemoteGroups {
  readonly #deps: RemoteGroupsDeps;
  readonly #found = new Map<string, Found>();

  constructor(deps: RemoteGroupsDeps) {
    this.#deps = deps;
  }

  /** The version that a path leads to, undefined where this server answers. */
  at(parsed: RequestPath): RemoteVersion | undefined {
    if (parsed.kind === 'other') return undefined;
    const { definitions } = this.#deps;
    if (parsed.kind === 'resource') {
      const { group, version, plural } = parsed.resource;
      return definitions.find(group, version, plural) ? undefined : this.#find(group, version);
    }
    const { group, version } = parsed;
    return group === undefined || version === undefined ? undefined : this.#find(group, version);
  }

  /** Every version that another server answers for. */
  all(): readonly RemoteVersion[] {
    return this.#deps.store.list(resource, {}).entries.flatMap(({ object }) => {
      const found = remoteVersionOf(object);
      return found && !this.#deps.definitions.serves(found.group, found.version) ? [found] : [];
    });
  }

  /** What there was in a version when it was checked last; undefined before its server has answered. */
  resourcesOf({ group, version }: RemoteVersion): readonly RemoteResource[] | undefined {
    return this.#found.get(`${group}/${version}`)?.resources;
  }

  /** Where the OpenAPI documents of other servers are, by their keys, such as `apis/metrics.example.com/v1`. */
  openapi(): ReadonlyMap<string, string> {
    const known = this.all().map(({ group, version }) => {
      return [`apis/${group}/${version}`, this.#found.get(`${group}/${version}`)?.openapi] as const;
    });
    return new Map(known.flatMap(([key, where]) => (where === undefined ? [] : [[key, where] as const])));
  }

  /**
   * Hands a request to the server of its version, with the name of its user, and hands back the answer as it comes. An
   * answer that is not whole after `limitMs` ends there.
   *
   * @throws StatusError Timeout when it has not begun by then.
   */
  async passOn(remote: RemoteVersion, request: AdmittedRequest, limitMs: number | undefined): Promise<ApiAnswer> {
    const endpoint = remote.isAvailable ? this.#endpointOf(remote) : undefined;
    if (!endpoint) return unavailable('service unavailable');
    try {
      const socket = await this.#connect(remote, endpoint);
      socket.setTimeout(0);
      if (limitMs !== undefined) endAfter(socket, request.clock ?? this.#deps.clock, limitMs);
      return await handOn(request, endpoint, socket);
    } catch (error) {
      if (error instanceof StatusError) throw error;
      return unavailable(`error trying to reach service: ${(error as Error).message}`);
    }
  }

  /** Asks the server of a version what it has. Returns why it does not answer, undefined when it does. */
  async check(remote: RemoteVersion): Promise<Unavailable | undefined> {
    const { group, version, service } = remote;
    const { namespace, name } = service;
    if (!this.#deps.store.get('services', namespace, name)) {
      return { reason: 'ServiceNotFound', message: `service/${name} in ${JSON.stringify(namespace)} is not present` };
    }
    const key = `apis/${group}/${version}`;
    let address = `https://${name}.${namespace}.svc:${service.port}/${key}`;
    try {
      const endpoint = this.#deps.find(service);
      address = `https://${endpoint.host}:${endpoint.port}/${key}`;
      const { status, said } = await this.#ask(remote, endpoint, `/${key}`);
      if (status < 200 || status > 299) throw new Error(`bad status from ${address}: ${status}`);
      const { resources = [] } = parseJson(said) as { resources?: readonly RemoteResource[] };
      // A server need not have any.
      const openapi = await this.#findOpenapi(remote, endpoint, key).catch(() => undefined);
      this.#found.set(`${group}/${version}`, { resources, openapi });
      return undefined;
    } catch (error) {
      const message = `failing or missing response from ${address}: ${(error as Error).message}`;
      return { reason: 'FailedDiscoveryCheck', message };
    }
  }

  #endpointOf({ service }: RemoteVersion): Endpoint | undefined {
    try {
      return this.#deps.find(service);
    } catch {
      return undefined;
    }
  }

  async #findOpenapi(remote: RemoteVersion, endpoint: Endpoint, key: string): Promise<string | undefined> {
    const { status, said } = await this.#ask(remote, endpoint, '/openapi/v3');
    if (status !== 200) return undefined;
    const { paths } = parseJson(said) as { paths?: Readonly<Record<string, { readonly serverRelativeURL: string }>> };
    return paths?.[key]?.serverRelativeURL;
  }

  async #ask(remote: RemoteVersion, endpoint: Endpoint, path: string): Promise<{ status: number; said: string }> {
    const request = { method: 'GET', path, headers: { accept: 'application/json' }, user: aggregator };
    const { status, payload } = await handOn(request, endpoint, await this.#connect(remote, endpoint));
    return { status, said: payload?.kind === 'stream' ? await text(payload.body) : '' };
  }

  #find(group: string, version: string): RemoteVersion | undefined {
    const { store, definitions } = this.#deps;
    const service = store.get(resource, '', `${version}.${group}`);
    const found = service && remoteVersionOf(service.object);
    return found && !definitions.serves(group, version) ? found : undefined;
  }

  /** A connection to the server of a version. It ends when nothing comes of it for as long as a check may take. */
  #connect({ service, ca, isVerified }: RemoteVersion, { host, port }: Endpoint): Promise<TLSSocket> {
    const { client } = this.#deps;
    return new Promise((resolve, reject) => {
      const socket = connect({
        host,
        port,
        servername: `${service.name}.${service.namespace}.svc`,
        rejectUnauthorized: isVerified,
        allowPartialTrustChain: true,
        ...(ca !== undefined && { ca }),
        ...(client && { cert: client.certificate, key: client.key }),
      });
      socket.setTimeout(checkMs, () => socket.destroy(new Error('timed out')));
      socket.once('secureConnect', () => resolve(socket));
      socket.once('error', reject);
    });
  }
}

function endAfter(socket: TLSSocket, clock: Clock, limitMs: number): void {
  const error = timeout('request did not complete within the allotted timeout', undefined);
  const timer = clock.after(limitMs, () => socket.destroy(error));
  socket.once('close', () => timer.cancel());
}

function handOn(request: AdmittedRequest, { host, port }: Endpoint, socket: TLSSocket): Promise<ApiAnswer> {
  const identity = { headers: headersOfUser(request.user), isClaim: isRemoteUserHeader };
  return forward(request, { socket, host: `${host}:${port}`, before: '', path: request.path, identity });
}

function unavailable(why: string): ApiAnswer {
  const headers = {
    'cache-control': noCache,
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  };
  return { status: 503, headers, payload: { kind: 'text', text: `${why}\n` } };
}
