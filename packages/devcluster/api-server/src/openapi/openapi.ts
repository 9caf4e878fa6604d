import { createHash } from 'node:crypto';
import { methodNotAllowed, noSuchPath } from '@slipway/api-machinery/errors/status-errors';
import { type Resumable, runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { runInSlices, startInSlices } from '@slipway/api-machinery/event-loop/run-in-slices';
import { writingJson } from '@slipway/api-machinery/json/json-in-slices';
import { parsingJson } from '@slipway/api-machinery/json/parse-in-slices';
import { openApiGate } from '@slipway/kube-objects/rules/gate-names';
import type { RemoteGroups } from '../aggregation/remote-groups.js';
import { hasAggregator } from '../discovery/aggregator.js';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { clausesOf } from '../request/negotiate.js';
import type { Query } from '../request/query.js';
import type { ApiAnswer, ApiRequest } from '../request/request.js';
import { noCache } from '../response/answers.js';
import { valuePayload } from '../response/payloads.js';
import { openapiDocument, schemaName } from './document.js';
import { hideField } from './hide-field.js';
import { asSecondVersion, type ThirdVersion } from './v2-document.js';
import { v2Protobuf } from './v2-protobuf.js';
import { versionDocument } from './version-document.js';

interface Document {
  readonly text: string;
  readonly hash: string;
}

/**
 * Says what the documents of built-in kinds look like: the start of the hash of all of them. A test computes it, and fails
 * when it changes without this.
 */
export const documentForm = 'e1220c806f93aef2';

type Documents = readonly (readonly [key: string, document: Document])[];

/** A document, and what it was made from. */
interface Made {
  readonly of: readonly ResourceDefinition[];
  /** Fields that it leaves out because their gate is off. */
  readonly hidden: string;
  readonly document: Document;
}

/**
 * Publishes the schemas of what is served: an index of documents by group version,
 * each of which can be cached forever under the address with its hash. Documents
 * are made when asked for and anew after their definitions changed.
 */
export class OpenApi {
  readonly #definitions: DefinitionRegistry;
  readonly #remotes: Pick<RemoteGroups, 'openapi'>;
  readonly #version: string;
  readonly #isEnabled: (gate: string) => boolean;
  readonly #documents = new Map<string, Made>();
  readonly #ofVersion: Document;
  #protobuf: { readonly etag: string; readonly bytes: Uint8Array } | undefined;

  constructor(
    definitions: DefinitionRegistry,
    remotes: Pick<RemoteGroups, 'openapi'>,
    version: string,
    isEnabled: (gate: string) => boolean,
  ) {
    this.#definitions = definitions;
    this.#remotes = remotes;
    this.#version = version;
    this.#isEnabled = isEnabled;
    this.#ofVersion = runToCompletion(encoding(versionDocument(version)));
  }

  /** Answers `/openapi/v2`, `/openapi/v3` and what is below that. */
  answer(request: ApiRequest, path: string, query: Query): ApiAnswer | Promise<ApiAnswer> {
    if (path === '/openapi/v2' && request.method === 'GET' && takesProtobuf(request)) return this.#inProtobuf(request);
    if (path !== '/openapi/v2' && path !== '/openapi/v3' && !path.startsWith('/openapi/v3/')) throw noSuchPath();
    if (path !== '/openapi/v2' && !this.#isEnabled(openApiGate)) throw noSuchPath();
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
    if (path === '/openapi/v3') return this.#index();
    const isAcceptable = takesJson(request.headers.accept);
    if (path === '/openapi/v2') return isAcceptable ? this.#secondVersion(request) : notAcceptable;
    const key = path.slice('/openapi/v3/'.length);
    const finding = startInSlices(this.#find(key));
    const answer = (document: Document | undefined) => {
      if (!document) return this.#none();
      return isAcceptable ? published(request, key, document, query.get('hash')) : notAcceptable;
    };
    return finding instanceof Promise ? finding.then(answer) : answer(finding);
  }

  /** The aggregator knows the documents there are; a server without it says nothing of one that there is not. */
  #none(): ApiAnswer {
    return { status: hasAggregator(this.#definitions) ? 404 : 200, headers: { 'cache-control': noCache } };
  }

  async #index(): Promise<ApiAnswer> {
    const hashes = await runInSlices(this.#hashes());
    const own = [...hashes, ['version', this.#ofVersion.hash] as const];
    const places = [
      ...own.map(([key, hash]) => [key, `/openapi/v3/${key}?hash=${hash}`] as const),
      ...this.#remotes.openapi(),
    ];
    const paths = Object.fromEntries(places.map(([key, serverRelativeURL]) => [key, { serverRelativeURL }]));
    return {
      status: 200,
      headers: { ...json, 'content-type': 'text/plain; charset=utf-8' },
      payload: { kind: 'json', json: valuePayload({ paths }) },
    };
  }

  /** All documents in one, for clients of the second version. Few ask for it, so it is made anew for each. */
  async #secondVersion({ headers }: ApiRequest): Promise<ApiAnswer> {
    const documents = await runInSlices(this.#all());
    const etag = etagOf(documents, 'json');
    const cached = { 'cache-control': noCache, etag, vary: 'Accept' };
    if (headers['if-none-match'] === etag) return { status: 304, headers: cached };
    const whole = await this.#whole(documents);
    const text = await runInSlices(writingJson(whole));
    return {
      status: 200,
      headers: { ...cached, 'content-type': 'application/json' },
      payload: { kind: 'json', json: { text: () => `${text}\n`, value: () => whole } },
    };
  }

  /** The same for clients in Go, among them kubectl, which reads it before it applies a `List`. */
  async #inProtobuf({ headers }: ApiRequest): Promise<ApiAnswer> {
    const documents = await runInSlices(this.#all());
    const etag = etagOf(documents, 'protobuf');
    const cached = { 'cache-control': noCache, etag, vary: 'Accept' };
    if (headers['if-none-match'] === etag) return { status: 304, headers: cached };
    if (this.#protobuf?.etag !== etag) {
      this.#protobuf = { etag, bytes: await runInSlices(v2Protobuf(await this.#whole(documents))) };
    }
    return {
      status: 200,
      headers: { ...cached, 'content-type': protobuf },
      payload: { kind: 'bytes', bytes: this.#protobuf.bytes },
    };
  }

  async #whole(documents: Documents) {
    const { paths, definitions } = await runInSlices(inSecondVersion(documents.map(([, document]) => document)));
    return { swagger: '2.0', info: { title: 'Kubernetes', version: this.#version }, paths, definitions };
  }

  /** Every document of the definitions that there are now. Making all of them takes long enough to rest in between. */
  *#all(): Resumable<Documents> {
    const documents: (readonly [string, Document])[] = [];
    for (const [key, of] of this.#byDocument()) {
      documents.push([key, yield* this.#made(key, of)]);
      yield;
    }
    return documents;
  }

  /** As `all`, without the documents where their hash does not need them. */
  *#hashes(): Resumable<readonly (readonly [key: string, hash: string])[]> {
    const hashes: (readonly [string, string])[] = [];
    for (const [key, of] of this.#byDocument()) {
      hashes.push([key, this.#knownHash(of, this.#hiddenFields(of)) ?? (yield* this.#made(key, of)).hash]);
    }
    return hashes;
  }

  /**
   * A hash of what a document of built-in kinds is made from: most clients ask for the index and one document of it, and to
   * make all of them takes a quarter of a second. Undefined for custom kinds, whose schemas can say anything.
   */
  #knownHash(of: readonly ResourceDefinition[], hidden: readonly (readonly string[])[]): string | undefined {
    if (of.some(({ origin }) => origin === 'custom')) return undefined;
    const names = of.map(({ group, version, plural }) => [group, version, plural]);
    return hashOf(JSON.stringify([documentForm, this.#version, names, hidden]));
  }

  #hiddenFields(of: readonly ResourceDefinition[]): readonly (readonly string[])[] {
    return of.map(({ gatedFields = {} }) =>
      Object.entries(gatedFields).flatMap(([gate, paths]) => (this.#isEnabled(gate) ? [] : paths)),
    );
  }

  *#find(key: string): Resumable<Document | undefined> {
    if (key === 'version') return this.#ofVersion;
    const of = this.#byDocument().get(key);
    return of && (yield* this.#made(key, of));
  }

  #byDocument(): Map<string, ResourceDefinition[]> {
    const documents = new Map<string, ResourceDefinition[]>();
    for (const definition of this.#definitions.all()) {
      const { group, version } = definition;
      const key = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      const known = documents.get(key);
      if (known) known.push(definition);
      else documents.set(key, [definition]);
    }
    return documents;
  }

  *#made(key: string, of: readonly ResourceDefinition[]): Resumable<Document> {
    const known = this.#documents.get(key);
    const hiddenFields = this.#hiddenFields(of);
    const hidden = JSON.stringify(hiddenFields);
    const isSame = known?.of.length === of.length && known.of.every((definition, index) => definition === of[index]);
    if (known && isSame && known.hidden === hidden) return known.document;
    const whole = yield* openapiDocument(of, this.#version);
    of.forEach((definition, index) => {
      for (const path of hiddenFields[index] ?? []) hideField(whole.components.schemas, schemaName(definition), path);
    });
    const { text, hash } = yield* encoding(whole);
    const document = { text, hash: this.#knownHash(of, hiddenFields) ?? hash };
    this.#documents.set(key, { of, hidden, document });
    return document;
  }
}

function* inSecondVersion(
  documents: readonly Document[],
): Resumable<{ paths: Record<string, unknown>; definitions: Record<string, unknown> }> {
  const whole = { paths: {}, definitions: {} };
  for (const { text } of documents) {
    const { value } = yield* parsingJson(text);
    const { paths, definitions } = yield* asSecondVersion(value as ThirdVersion);
    Object.assign(whole.paths, paths);
    Object.assign(whole.definitions, definitions);
    yield;
  }
  return whole;
}

function* encoding(whole: object): Resumable<Document> {
  const text = yield* writingJson(whole);
  return { text, hash: hashOf(text) };
}

function hashOf(text: string): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase();
}

function published({ headers }: ApiRequest, key: string, document: Document, asked: string | undefined): ApiAnswer {
  const { text, hash } = document;
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

const notAcceptable: ApiAnswer = { status: 406, headers: { 'cache-control': noCache, vary: 'Accept' } };
const json = { 'content-type': 'application/json', 'cache-control': noCache, vary: 'Accept' };

const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** The type has had two names, and clients ask for either. */
function takesProtobuf({ headers }: ApiRequest): boolean {
  return clausesOf(headers.accept ?? '').some(({ type }) => type.startsWith('application/com.github.proto-openapi'));
}

/** All documents have one tag in each of their forms. */
function etagOf(documents: Documents, form: string): string {
  return `"${hashOf(JSON.stringify([form, ...documents.map(([, { hash }]) => hash)]))}"`;
}

function takesJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '') return true;
  return clausesOf(accept).some(
    ({ type }) => type === 'application/json' || type === 'application/*' || type === '*/*',
  );
}
