import { type Clock, systemClock } from '@slipway/kube';
import { type AdmissionHook, admissionChain } from '../admission/admission.js';
import { DefinitionRegistry } from '../registry/definition-registry.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { methodNotAllowed, noSuchPath, tooLarge } from '../registry/status-errors.js';
import type { Store } from '../storage/store.js';
import { demandUser } from './access.js';
import { errorAnswer, jsonAnswer } from './answers.js';
import type { Core, Random } from './core.js';
import { Discovery } from './discovery/discovery.js';
import { dress } from './dress.js';
import { expireRows } from './expiry.js';
import { handleResource } from './handle-resource.js';
import { demandAcceptable } from './negotiate.js';
import { type HealthCheck, health, healthPaths, isHealthPath } from './nonresource/health.js';
import { type VersionInfo, versionInfo } from './nonresource/version.js';
import { OpenApi } from './openapi/openapi.js';
import { valuePayload } from './payloads.js';
import { Query } from './query.js';
import { systemRandom } from './random.js';
import type { ApiAnswer, ApiRequest } from './request.js';
import { parseRequestPath } from './request-path.js';
import { WatchHub } from './watch/watch-hub.js';

export interface ApiServerOptions {
  readonly store: Store;
  /** What is served; may change while the server runs. */
  readonly definitions: DefinitionRegistry | Iterable<ResourceDefinition>;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Value of an API server gate; default: none is on. */
  readonly isEnabled?: (gate: string) => boolean;
  /** Rules about writes, in the order in which they run. */
  readonly admission?: readonly AdmissionHook[];
  /** What `/version` claims. Default 1.34. */
  readonly version?: string;
  /** Beyond those the server has by itself. */
  readonly healthChecks?: readonly HealthCheck[];
}

/** Bytes a request may carry. */
export const bodyLimit = 3 * 1024 * 1024;

/** An API server without a transport: bindings hand it requests and write its answers. */
export interface ApiServer {
  /** Never rejects: what goes wrong is an answer. */
  handle(request: ApiRequest): Promise<ApiAnswer>;
  readonly definitions: DefinitionRegistry;
  readonly version: VersionInfo;
  /** Says that the server is about to stop: it is not ready from now on, and every watch ends. */
  drain(): void;
}

/**
 * Serves the Kubernetes API over a store. Everything that reaches the server, over
 * TLS or in process, goes through `handle`.
 */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { store, clock = systemClock, random = systemRandom, isEnabled = () => false } = options;
  const definitions =
    options.definitions instanceof DefinitionRegistry
      ? options.definitions
      : new DefinitionRegistry(options.definitions);
  const admit = admissionChain(options.admission ?? [], store);
  const watches = new WatchHub({ store, clock, definitions });
  const expiry = expireRows({ store, definitions, clock });
  const core: Core = { store, definitions, clock, random, isEnabled, admit, watches };
  const discovery = new Discovery(definitions);
  const version = versionInfo(options.version ?? '1.34');
  const openapi = new OpenApi(definitions, version.gitVersion);
  let draining = false;
  const checks: readonly HealthCheck[] = [
    { name: 'ping', endpoints: ['healthz', 'livez', 'readyz'], problem: () => undefined },
    { name: 'log', endpoints: ['healthz', 'livez', 'readyz'], problem: () => undefined },
    { name: 'etcd', endpoints: ['healthz', 'livez', 'readyz'], problem: () => undefined },
    ...(options.healthChecks ?? []),
    { name: 'shutdown', endpoints: ['readyz'], problem: () => (draining ? 'process is shutting down' : undefined) },
  ];

  const answer = async (request: ApiRequest, encoded: string, query: Query): Promise<ApiAnswer> => {
    if (request.body && 'bytes' in request.body && request.body.bytes.length > bodyLimit) {
      throw tooLarge(`limit is ${bodyLimit}`);
    }
    const path = encoded.includes('%') ? decodePath(encoded) : encoded;
    const parts = path.split('/');
    const open = request.user !== undefined || request.method === 'GET';
    if (open && isHealthPath(parts)) return health(checks, request, parts, query);
    if (open && path === '/version') return serverVersion(request);
    const parsed = parseRequestPath(path);
    demandUser(request, path, parsed, query.flag('watch'));
    if (parts[1] === 'openapi') return openapi.answer(request, path, query);
    switch (parsed.kind) {
      case 'resource':
        return handleResource(core, request, parsed.resource, query);
      case 'discovery':
        return discovery.answer(parsed, parts[1] === 'api' ? 'api' : 'apis', request);
      default:
        return root(path);
    }
  };

  const serverVersion = (request: ApiRequest): ApiAnswer => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
    demandAcceptable(request.headers.accept, ['application/json']);
    return jsonAnswer(200, valuePayload(version));
  };

  const root = (path: string): ApiAnswer => {
    const paths = () => [...discoveryPaths(definitions), ...healthPaths(checks), '/openapi/v3', '/version'].sort();
    if (path === '/' || path === '') return jsonAnswer(200, valuePayload({ paths: paths() }));
    if (path === '/version/' || path === '/apis/' || path === '/api/') throw noSuchPath();
    return jsonAnswer(404, valuePayload({ paths: paths() }));
  };

  return {
    definitions,
    version,
    async handle(request) {
      const mark = request.path.indexOf('?');
      const path = mark < 0 ? request.path : request.path.slice(0, mark);
      const query = new Query(mark < 0 ? '' : request.path.slice(mark + 1));
      let given: ApiAnswer;
      try {
        given = await answer(request, path, query);
      } catch (error) {
        given = errorAnswer(error);
      }
      return dress(given, request, query);
    },
    drain() {
      draining = true;
      expiry.close();
      watches.endAll();
    },
  };
}

function discoveryPaths(definitions: DefinitionRegistry): string[] {
  const paths = new Set(['/api', '/apis']);
  for (const { group, version } of definitions.all()) {
    if (group !== '') paths.add(`/apis/${group}`);
    paths.add(group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
  }
  return [...paths];
}

/** Malformed escapes stay as they are: nothing is named so. */
function decodePath(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
