import { createHash } from 'node:crypto';
import { methodNotAllowed, noSuchPath } from '@slipway/api-machinery/errors/status-errors';
import type { RemoteGroups } from '../aggregation/remote-groups.js';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import { clausesOf, negotiate, notAcceptable, protobuf, requireAcceptable } from '../request/negotiate.js';
import type { ApiAnswer, ApiRequest } from '../request/request.js';
import type { RequestPath } from '../request/request-path.js';
import { jsonAnswer, noCache, pageNotFound } from '../response/answers.js';
import { valuePayload } from '../response/payloads.js';
import { aggregatedDiscovery } from './aggregated.js';
import { hasAggregator, listedDefinitions } from './aggregator.js';
import { apiGroup, apiGroupList, apiResourceList, apiVersions, ownGroupList } from './legacy.js';
import type { VersionInfo } from './version.js';

type DiscoveryPath = Extract<RequestPath, { kind: 'discovery' }>;

type Remotes = Pick<RemoteGroups, 'all' | 'resourcesOf'>;

interface Encoded {
  readonly text: string;
  readonly etag: string;
}

/**
 * Says what is served. The aggregated documents are made once per change of the
 * definitions and carry an ETag, so that clients ask twice and read once.
 */
export class Discovery {
  readonly #definitions: DefinitionRegistry;
  readonly #remotes: Remotes;
  readonly #cache = new Map<string, Encoded>();
  readonly #forms: readonly string[];
  /** What the cached documents were made from. */
  #form = '';

  constructor(definitions: DefinitionRegistry, remotes: Remotes, version: Pick<VersionInfo, 'minor'>) {
    this.#definitions = definitions;
    this.#remotes = remotes;
    // The first form of the aggregated documents left in 1.36; clients of 1.30 may ask for it.
    this.#forms = Number(version.minor) < 36 ? ['v2', 'v2beta1'] : ['v2'];
  }

  answer(path: DiscoveryPath, root: 'api' | 'apis', request: ApiRequest): ApiAnswer {
    const { group, version } = path;
    const definitions = this.#definitions.all();
    const { accept } = request.headers;
    if (version !== undefined && group !== undefined) {
      const list = apiResourceList(definitions, group, version);
      const isBuiltIn = definitions.some((each) => each.group === group && each.origin === 'built-in');
      if (!list && isBuiltIn) throw noSuchPath();
      if (!list) return pageNotFound();
      if (isBuiltIn) {
        if (request.method !== 'GET') throw methodNotAllowed();
        requireAcceptable(accept, forms);
      }
      negotiate(accept, 'discovery');
      return jsonAnswer(200, valuePayload(list));
    }
    if (group !== undefined) {
      // Groups, and their list where the aggregator has it, are answered whatever the method is.
      const found = apiGroup(definitions, this.#remotes.all(), group);
      if (!found) return pageNotFound();
      negotiate(accept, 'discovery');
      return jsonAnswer(200, valuePayload(found));
    }
    if (request.method !== 'GET' && (root === 'api' || !hasAggregator(this.#definitions))) throw methodNotAllowed();
    return this.#root(root, request);
  }

  #root(root: 'api' | 'apis', { headers, path }: ApiRequest): ApiAnswer {
    // With a slash at its end it is the list of groups only.
    const isList = path.split('?')[0] === '/apis/';
    const wanted = isList ? undefined : aggregatedVersion(headers.accept, this.#forms);
    if (wanted === undefined) {
      if (root === 'apis' && hasAggregator(this.#definitions)) negotiate(headers.accept, 'discovery');
      else requireAcceptable(headers.accept, forms);
      return {
        ...jsonAnswer(200, valuePayload(this.#rootDocument(root, headers.host ?? ''))),
        headers: { ...json, vary: 'Accept' },
      };
    }
    const { text, etag } = this.#aggregated(root, wanted);
    const cached = { 'cache-control': 'public', etag, vary: 'Accept' };
    if (headers['if-none-match'] === etag) return { status: 304, headers: cached };
    return {
      status: 200,
      headers: {
        ...cached,
        'content-type': `application/json;g=apidiscovery.k8s.io;v=${wanted};as=APIGroupDiscoveryList`,
      },
      payload: { kind: 'json', json: { text: () => text, value: () => JSON.parse(text) } },
    };
  }

  #rootDocument(root: 'api' | 'apis', host: string) {
    const listed = listedDefinitions(this.#definitions);
    if (root === 'api') return apiVersions(listed, host);
    return hasAggregator(this.#definitions) ? apiGroupList(listed, this.#remotes.all()) : ownGroupList(listed, host);
  }

  #aggregated(root: 'api' | 'apis', version: string): Encoded {
    const remotes = this.#remotes.all().map((one) => ({ ...one, resources: this.#remotes.resourcesOf(one) }));
    const form = JSON.stringify([this.#definitions.generation, remotes]);
    if (this.#form !== form) {
      this.#cache.clear();
      this.#form = form;
    }
    const key = `${root}/${version}`;
    let encoded = this.#cache.get(key);
    if (!encoded) {
      const text = JSON.stringify(aggregatedDiscovery(this.#definitions.all(), remotes, root, version));
      encoded = { text, etag: `"${createHash('sha512').update(text).digest('hex').toUpperCase()}"` };
      this.#cache.set(key, encoded);
    }
    return encoded;
  }
}

const forms = ['application/json', 'application/yaml', protobuf];
const json = { 'content-type': 'application/json', 'cache-control': noCache };

/**
 * The version of the aggregated document that an Accept header asks for, if it does.
 *
 * @throws StatusError NotAcceptable when it asks only for versions there are not.
 */
function aggregatedVersion(accept: string | undefined, served: readonly string[]): string | undefined {
  if (accept === undefined || !accept.includes('APIGroupDiscoveryList')) return undefined;
  const clauses = clausesOf(accept);
  const versions = clauses
    .filter(({ type, parameters }) => type === 'application/json' && parameters.as === 'APIGroupDiscoveryList')
    .filter(({ parameters }) => parameters.g === 'apidiscovery.k8s.io')
    .map(({ parameters }) => parameters.v);
  for (const version of served) if (versions.includes(version)) return version;
  if (clauses.some(({ type, parameters }) => type === 'application/json' && parameters.as === undefined))
    return undefined;
  throw notAcceptable();
}
