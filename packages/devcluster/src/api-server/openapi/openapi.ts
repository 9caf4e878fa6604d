import { createHash } from 'node:crypto';
import type { DefinitionRegistry } from '../../registry/definition-registry.js';
import type { ResourceDefinition } from '../../registry/resource-definition.js';
import { methodNotAllowed, noSuchPath } from '../../registry/status-errors.js';
import { noCache } from '../answers.js';
import { clausesOf } from '../negotiate.js';
import { valuePayload } from '../payloads.js';
import type { Query } from '../query.js';
import type { ApiAnswer, ApiRequest } from '../request.js';
import { openapiDocument } from './document.js';
import { emptyV2Document } from './empty-v2.js';

interface Document {
  readonly text: string;
  readonly hash: string;
}

/**
 * Publishes the schemas of what is served: an index of documents by group version,
 * each of which can be cached for ever under the address with its hash. Documents
 * are made when asked for and anew after their definitions changed.
 */
export class OpenApi {
  readonly #definitions: DefinitionRegistry;
  readonly #version: string;
  readonly #documents = new Map<string, { readonly of: readonly ResourceDefinition[]; readonly document: Document }>();

  constructor(definitions: DefinitionRegistry, version: string) {
    this.#definitions = definitions;
    this.#version = version;
  }

  /** Answers `/openapi/v3` and what is below it. */
  answer(request: ApiRequest, path: string, query: Query): ApiAnswer {
    const v2 = path === '/openapi/v2' && request.method === 'GET' && emptyV2Document(request, this.#version);
    if (v2) return v2;
    if (path !== '/openapi/v3' && !path.startsWith('/openapi/v3/')) throw noSuchPath();
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
    if (!takesJson(request.headers.accept))
      return { status: 406, headers: { 'cache-control': noCache, vary: 'Accept' } };
    if (path === '/openapi/v3') return this.#index();
    const key = path.slice('/openapi/v3/'.length);
    const of = this.#byDocument().get(key);
    if (!of) throw noSuchPath();
    return this.#document(request, key, of, query.get('hash'));
  }

  #index(): ApiAnswer {
    const paths = Object.fromEntries(
      [...this.#byDocument()].map(([key, of]) => {
        const { hash } = this.#made(key, of);
        return [key, { serverRelativeURL: `/openapi/v3/${key}?hash=${hash}` }];
      }),
    );
    return { status: 200, headers: json, payload: { kind: 'json', json: valuePayload({ paths }) } };
  }

  #document(
    { headers }: ApiRequest,
    key: string,
    of: readonly ResourceDefinition[],
    asked: string | undefined,
  ): ApiAnswer {
    const { text, hash } = this.#made(key, of);
    const etag = `"${hash}"`;
    if (asked !== undefined && asked !== hash) {
      const location = `/openapi/v3/${key}?hash=${hash}`;
      return { status: 301, headers: { ...json, etag, location } };
    }
    const cached = { 'cache-control': asked === undefined ? noCache : 'public, immutable', etag, vary: 'Accept' };
    if (headers['if-none-match'] === etag) return { status: 304, headers: cached };
    return {
      status: 200,
      headers: { ...cached, 'content-type': 'application/json' },
      payload: { kind: 'json', json: { text: () => text, value: () => JSON.parse(text) } },
    };
  }

  #byDocument(): Map<string, ResourceDefinition[]> {
    const documents = new Map<string, ResourceDefinition[]>();
    for (const definition of this.#definitions.all()) {
      const { group, version } = definition;
      const key = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      documents.set(key, [...(documents.get(key) ?? []), definition]);
    }
    return documents;
  }

  #made(key: string, of: readonly ResourceDefinition[]): Document {
    const known = this.#documents.get(key);
    if (known && known.of.length === of.length && known.of.every((definition, index) => definition === of[index])) {
      return known.document;
    }
    const text = JSON.stringify(openapiDocument(of, this.#version));
    const document = { text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() };
    this.#documents.set(key, { of, document });
    return document;
  }
}

const json = { 'content-type': 'application/json', 'cache-control': noCache, vary: 'Accept' };

function takesJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '') return true;
  return clausesOf(accept).some(
    ({ type }) => type === 'application/json' || type === 'application/*' || type === '*/*',
  );
}
