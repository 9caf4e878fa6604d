import { createHash } from 'node:crypto';
import { stringifyJson } from '@slipway/kube';
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
import { hideField } from './hide-field.js';

/** Whether what is below `/openapi/v3` is served at all. */
export const openApiGate = 'OpenAPIV3';

interface Document {
  readonly text: string;
  readonly hash: string;
}

/** A document, and what it was made from. */
interface Made {
  readonly of: readonly ResourceDefinition[];
  /** Fields that it leaves out because their gate is off. */
  readonly hidden: string;
  readonly document: Document;
}

/**
 * Publishes the schemas of what is served: an index of documents by group version,
 * each of which can be cached for ever under the address with its hash. Documents
 * are made when asked for and anew after their definitions changed.
 */
export class OpenApi {
  readonly #definitions: DefinitionRegistry;
  readonly #version: string;
  readonly #isEnabled: (gate: string) => boolean;
  readonly #documents = new Map<string, Made>();

  constructor(definitions: DefinitionRegistry, version: string, isEnabled: (gate: string) => boolean) {
    this.#definitions = definitions;
    this.#version = version;
    this.#isEnabled = isEnabled;
  }

  /** Answers `/openapi/v3` and what is below it. */
  answer(request: ApiRequest, path: string, query: Query): ApiAnswer {
    const v2 = path === '/openapi/v2' && request.method === 'GET' && emptyV2Document(request, this.#version);
    if (v2) return v2;
    if (path !== '/openapi/v3' && !path.startsWith('/openapi/v3/')) throw noSuchPath();
    if (!this.#isEnabled(openApiGate)) throw noSuchPath();
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
    const hiddenFields = of.map(({ gatedFields = {} }) =>
      Object.entries(gatedFields).flatMap(([gate, paths]) => (this.#isEnabled(gate) ? [] : paths)),
    );
    const hidden = JSON.stringify(hiddenFields);
    const isSame = known?.of.length === of.length && known.of.every((definition, index) => definition === of[index]);
    if (known && isSame && known.hidden === hidden) return known.document;
    const whole = openapiDocument(of, this.#version);
    of.forEach(({ schema }, index) => {
      for (const path of hiddenFields[index] ?? []) hideField(whole.components.schemas, schema.openapi().name, path);
    });
    const text = stringifyJson(whole);
    const document = { text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() };
    this.#documents.set(key, { of, hidden, document });
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
