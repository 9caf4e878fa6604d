import {
  apiVersionOf,
  type KubeObject,
  ObjectNameError,
  type ObjectRef,
  pathOf,
  type ResourceRef,
} from '../transport/objects.js';
import { bodyOf } from '../transport/responses.js';
import { hasReason } from '../transport/status.js';
import type { KubeRequest, Transport, WatchFrame } from '../transport/transport.js';
import { cloneJson, sameJson } from './json.js';

/** Which objects of a resource. Selectors are in the text form kubectl takes. */
export interface Selection {
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends Selection {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface ListPage<T> {
  readonly items: T[];
  /** The revision the list is of: watch from here. */
  readonly resourceVersion: string;
  readonly continue?: string;
  /** How many objects come after this page; not known for selections. */
  readonly remaining?: number;
}

export interface WatchOptions extends Selection {
  /** Events after this revision. Absent: first what there is, as ADDED. */
  readonly resourceVersion?: string;
  readonly bookmarks?: boolean;
  readonly timeoutSeconds?: number;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface PatchOptions extends WriteOptions {
  readonly subresource?: string;
}

export interface ApplyOptions extends WriteOptions {
  /** Who applies: the same name every time, for what it leaves out next time is removed. */
  readonly fieldManager: string;
  /** Takes fields from whoever else owns them, rather than to be refused with a conflict: what controllers want. */
  readonly force?: boolean;
}

/** An object as far as its applier cares; apiVersion and kind are those of the resource. */
export interface Configuration {
  readonly metadata: ObjectRef & { readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface MutateOptions {
  /** How often a lost race is run again; 5 when absent. */
  readonly retries?: number;
  readonly subresource?: string;
  readonly signal?: AbortSignal | undefined;
}

/** One step of a JSON patch (RFC 6902). */
export type JsonPatchOp =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/**
 * Reads and writes the objects of one resource, as raw JSON.
 *
 * What comes back must not be changed in place: in process it may be frozen, or
 * the very object a cache holds. Copy it, or use `mutate`. Every method throws
 * `StatusError` when the server refuses and `UnreachableError` when no answer came.
 */
export interface ResourceClient<T extends KubeObject = KubeObject> {
  readonly resource: ResourceRef<T>;
  get(ref: ObjectRef, signal?: AbortSignal): Promise<T>;
  /** As `get`, with undefined instead of NotFound. */
  find(ref: ObjectRef, signal?: AbortSignal): Promise<T | undefined>;
  list(options?: ListOptions): Promise<ListPage<T>>;
  /** All pages of a consistent list, 500 objects each unless `limit` says otherwise. */
  pages(options?: ListOptions): AsyncIterable<ListPage<T>>;
  /** One watch, without retries: see `Transport.stream`. Informers are made for what lasts. */
  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchFrame>;
  create(object: T, options?: WriteOptions): Promise<T>;
  /** Writes the whole object. Its resourceVersion makes sure that nothing newer is overwritten. */
  replace(object: T, options?: WriteOptions): Promise<T>;
  /** Deletes the object; that it is not there is fine. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<void>;
  /** JSON merge patch: `null` removes a field, lists are replaced. */
  merge(ref: ObjectRef, patch: object, options?: PatchOptions): Promise<T>;
  json(ref: ObjectRef, operations: readonly JsonPatchOp[], options?: PatchOptions): Promise<T>;
  /**
   * Server-side apply: makes the object, or gives the fields that are said the
   * values they are given. What the same manager said before and leaves out now is
   * removed; what others wrote stays.
   */
  apply(wanted: Configuration, options: ApplyOptions): Promise<T>;
  /** The same for the status subresource, of an object that is there. */
  applyStatus(wanted: Configuration, options: ApplyOptions): Promise<T>;
  /**
   * Reads the object, lets `change` edit a copy (or return another), and writes it
   * provided that no other writer updated it in between; else starts over. A change that changes
   * nothing writes nothing. `change` may run several times.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a change that edits the draft returns nothing
  mutate(ref: ObjectRef, change: (draft: T) => T | undefined | void, options?: MutateOptions): Promise<T>;
  replaceStatus(object: T, options?: WriteOptions): Promise<T>;
  /** Merge patch of the status subresource; `patch` is a patch of the object: `{ status: { … } }`. */
  mergeStatus(ref: ObjectRef, patch: object, options?: WriteOptions): Promise<T>;
}

/** A client of one resource on top of a transport. */
export function resourceClient<T extends KubeObject>(
  resource: ResourceRef<T>,
  transport: Transport,
  fieldManager: string | undefined,
): ResourceClient<T> {
  const send = async (request: KubeRequest) => bodyOf(await transport.request(request)) as T;
  const pathTo = (ref: ObjectRef, subresource?: string) => pathOf(resource, ref.namespace, ref.name, subresource);
  const writeQuery = (options: WriteOptions | undefined) =>
    query({ dryRun: options?.dryRun ? 'All' : undefined, fieldManager });

  const patch = async (ref: ObjectRef, contentType: string, body: unknown, options?: PatchOptions) =>
    send({
      method: 'PATCH',
      path: pathTo(ref, options?.subresource) + writeQuery(options),
      contentType,
      body,
      signal: options?.signal,
    });

  const put = async (object: T, subresource: string | undefined, options?: WriteOptions) =>
    send({
      method: 'PUT',
      path: pathTo(refOf(object), subresource) + writeQuery(options),
      body: object,
      signal: options?.signal,
    });

  const applyTo = async (wanted: Configuration, subresource: string | undefined, options: ApplyOptions) => {
    const { dryRun, fieldManager: applier, force, signal } = options;
    return send({
      method: 'PATCH',
      path:
        pathTo(wanted.metadata, subresource) +
        query({ dryRun: dryRun ? 'All' : undefined, fieldManager: applier, force: force ? 'true' : undefined }),
      contentType: 'application/apply-patch+yaml',
      body: { ...wanted, apiVersion: apiVersionOf(resource), kind: resource.kind },
      signal,
    });
  };

  const client: ResourceClient<T> = {
    resource,
    get: async (ref, signal) => send({ method: 'GET', path: pathTo(ref), signal }),

    find: async (ref, signal) => {
      try {
        return await client.get(ref, signal);
      } catch (error) {
        if (hasReason(error, 'NotFound') || error instanceof ObjectNameError) return undefined;
        throw error;
      }
    },

    list: async (options = {}) => {
      const { namespace, signal, ...asked } = options;
      const path = pathOf(resource, namespace) + query(asked);
      const body = bodyOf(await transport.request({ method: 'GET', path, signal })) as ListBody<T>;
      const { resourceVersion = '', continue: next, remainingItemCount } = body.metadata ?? {};
      return {
        items: (body.items ?? []).map((item) => named(item, resource)),
        resourceVersion,
        ...(next ? { continue: next } : {}),
        ...(remainingItemCount === undefined ? {} : { remaining: remainingItemCount }),
      };
    },

    pages: async function* (options = {}) {
      let page = await client.list({ limit: 500, ...options });
      yield page;
      while (page.continue) {
        // A token carries the revision of its list; naming one beside it is refused.
        const { resourceVersion: _, ...rest } = options;
        page = await client.list({ limit: 500, ...rest, continue: page.continue });
        yield page;
      }
    },

    watch: ({ namespace, bookmarks, ...asked }, signal) => {
      const parameters = { watch: 'true', allowWatchBookmarks: bookmarks ? 'true' : undefined, ...asked };
      return transport.stream({ method: 'GET', path: pathOf(resource, namespace) + query(parameters), signal }, signal);
    },

    create: (object, options) =>
      send({
        method: 'POST',
        path: pathOf(resource, object.metadata.namespace) + writeQuery(options),
        body: object,
        signal: options?.signal,
      }),

    replace: (object, options) => put(object, undefined, options),

    delete: async (ref, { signal, dryRun, ...options } = {}) => {
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...options, ...(dryRun ? { dryRun: ['All'] } : {}) };
      try {
        await send({ method: 'DELETE', path: pathTo(ref), body, signal });
      } catch (error) {
        if (!hasReason(error, 'NotFound')) throw error;
      }
    },

    merge: (ref, body, options) => patch(ref, 'application/merge-patch+json', body, options),
    json: (ref, operations, options) => patch(ref, 'application/json-patch+json', operations, options),

    apply: (wanted, options) => applyTo(wanted, undefined, options),
    applyStatus: (wanted, options) => applyTo(wanted, 'status', options),

    mutate: async (ref, change, { retries = 5, subresource, signal } = {}) => {
      for (let attempt = 0; ; attempt++) {
        const current = await client.get(ref, signal);
        const draft = cloneJson(current);
        const wanted = change(draft) ?? draft;
        if (sameJson(wanted, current)) return current;
        try {
          return await put(wanted, subresource, { signal });
        } catch (error) {
          if (!hasReason(error, 'Conflict') || attempt >= retries) throw error;
        }
      }
    },

    replaceStatus: (object, options) => put(object, 'status', options),
    mergeStatus: (ref, body, options) => client.merge(ref, body, { ...options, subresource: 'status' }),
  };
  return client;
}

interface ListBody<T> {
  readonly items?: readonly T[] | null;
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

/** Items of a list of built-in kinds come without apiVersion and kind. */
function named<T extends KubeObject>(item: T, resource: ResourceRef): T {
  return item.kind ? item : { ...item, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function refOf({ metadata: { name, namespace } }: KubeObject): ObjectRef {
  if (!name) throw new TypeError('an object without metadata.name cannot be replaced');
  return { name, namespace };
}

function query(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return '';
  return `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`;
}
