import { cloneJson, freezeJson, sameJson } from '../client/json.js';
import type { JsonPatchOp } from '../client/resource-client.js';
import { type Clock, systemClock } from '../clock/clock.js';
import { timestamp } from '../clock/timestamp.js';
import { SelectorError } from '../selectors/selector-error.js';
import { apiVersionOf, type KubeObject, keyOf, type ResourceRef } from '../transport/objects.js';
import { StatusError } from '../transport/status.js';
import type { KubeRequest, KubeResponse, Transport } from '../transport/transport.js';
import { createWatch, type StoredEvent, selection, type Watch } from './in-memory-watch.js';
import { applied, jsonPatched, mergePatched } from './patches.js';
import { refusal, success } from './refusal.js';
import { parseRequestPath, type RequestPath, resourceOf } from './request-path.js';

export interface InMemoryApiOptions {
  readonly clock?: Clock;
  /** Objects that are there from the start, stored as they are, status included. */
  readonly objects?: readonly KubeObject[];
  /** Resources for which the main resource takes status too. All others have a status subresource. */
  readonly withoutStatusSubresource?: readonly string[];
}

/** An API server in memory for unit tests, with handles on what goes wrong between server and client. */
export interface InMemoryApi extends Transport {
  /** Every request so far, watches included. */
  readonly requests: readonly KubeRequest[];
  /** The revision of the last write. */
  readonly revision: number;
  /** Stores an object as it is, status included, past every rule of the API; for arranging a test. */
  seed(resource: Pick<ResourceRef, 'group' | 'plural'>, ...objects: KubeObject[]): void;
  /** What is stored of a resource, frozen. */
  stored(resource: Pick<ResourceRef, 'group' | 'plural'>): readonly KubeObject[];
  /** Ends every open watch: cleanly, or broken with `error`. */
  endWatches(error?: Error): void;
  /** Tells every watch that asked for bookmarks which revision it has come to. */
  bookmark(): void;
  /** Forgets history: watching or paging from before now is answered with 410. */
  compact(): void;
  /** Runs before every request and watch; what it throws is what the client gets. Undefined ends that. */
  intercept(before: ((request: KubeRequest) => void | Promise<void>) | undefined): void;
}

/**
 * A small working API server: create, read, update, apply, merge and JSON patch, delete
 * with preconditions and finalizers, the status subresource, label and metadata
 * field selectors, resource versions, pages, watches with bookmarks. It knows no kinds: no defaults, no
 * validation, no garbage collection, any resource exists. What depends on those
 * is tested against devcluster.
 */
export function inMemoryApi(options: InMemoryApiOptions = {}): InMemoryApi {
  const clock = options.clock ?? systemClock;
  const tables = new Map<string, Map<string, KubeObject>>();
  /** What each manager applied last, by resource, object, subresource and manager. */
  const configurations = new Map<string, KubeObject>();
  const requests: KubeRequest[] = [];
  const watches = new Set<Watch>();
  let history: StoredEvent[] = [];
  let compactedTo = 0;
  // As on real servers, no list is of revision 0: watching from there means "from anywhere".
  let revision = 1;
  let uids = 0;
  let before: ((request: KubeRequest) => void | Promise<void>) | undefined;

  const tableOf = (resource: string) => {
    const table = tables.get(resource) ?? new Map<string, KubeObject>();
    tables.set(resource, table);
    return table;
  };

  const record = (
    resource: string,
    type: StoredEvent['type'],
    written: KubeObject,
    previous?: KubeObject,
  ): KubeObject => {
    revision++;
    const object = cloneJson(written);
    object.metadata.resourceVersion = String(revision);
    freezeJson(object);
    if (type === 'DELETED') tableOf(resource).delete(keyOf(object));
    else tableOf(resource).set(keyOf(object), object);
    const event: StoredEvent = { revision, resource, type, object, ...(previous ? { previous } : {}) };
    history.push(event);
    for (const watch of watches) watch.offer(event);
    return object;
  };

  const seedOne = (resource: string, object: KubeObject) => {
    const draft = cloneJson(object);
    draft.metadata.uid ??= `uid-${++uids}`;
    draft.metadata.creationTimestamp ??= timestamp(clock.now());
    const previous = tableOf(resource).get(keyOf(draft));
    record(resource, previous ? 'MODIFIED' : 'ADDED', draft, previous);
  };

  const create = (at: RequestPath, body: KubeObject, dryRun: boolean): KubeObject => {
    const draft = cloneJson(body);
    const { metadata } = draft;
    if (metadata.resourceVersion) {
      throw refusal(400, 'BadRequest', at, 'resourceVersion should not be set on objects to be created');
    }
    if (at.namespace) metadata.namespace = at.namespace;
    metadata.name ??= `${metadata.generateName ?? ''}${(revision + 1).toString(36).padStart(5, '0')}`;
    if (tableOf(resourceOf(at)).has(keyOf(draft))) {
      throw refusal(409, 'AlreadyExists', at, `${at.plural} "${metadata.name}" already exists`);
    }
    metadata.uid = `uid-${++uids}`;
    metadata.creationTimestamp = timestamp(clock.now());
    metadata.generation = 1;
    if (hasStatusSubresource(at)) delete draft.status;
    return dryRun ? draft : record(resourceOf(at), 'ADDED', draft);
  };

  const hasStatusSubresource = ({ plural }: RequestPath) => !options.withoutStatusSubresource?.includes(plural);

  const existing = (at: RequestPath): KubeObject => {
    const key = at.namespace ? `${at.namespace}/${at.name}` : (at.name ?? '');
    const object = tableOf(resourceOf(at)).get(key);
    if (!object) throw refusal(404, 'NotFound', at, `${resourceOf(at)} "${at.name}" not found`);
    return object;
  };

  const update = (at: RequestPath, current: KubeObject, wanted: KubeObject, dryRun: boolean): KubeObject => {
    const asked = wanted.metadata.resourceVersion;
    if (asked && asked !== current.metadata.resourceVersion) {
      throw refusal(
        409,
        'Conflict',
        at,
        `Operation cannot be fulfilled on ${resourceOf(at)} "${at.name}": the object has been modified; please apply your changes to the latest version and try again`,
      );
    }
    const draft = at.subresource === 'status' ? cloneJson(current) : cloneJson(wanted);
    if (at.subresource === 'status') setStatus(draft, wanted.status);
    else if (hasStatusSubresource(at)) setStatus(draft, current.status);
    const { metadata } = draft;
    for (const field of ['uid', 'creationTimestamp', 'deletionTimestamp', 'resourceVersion', 'generation'] as const) {
      if (current.metadata[field] === undefined) delete metadata[field];
      else Object.assign(metadata, { [field]: current.metadata[field] });
    }
    if (sameJson(draft, current)) return current;
    if (!sameJson(specOf(draft), specOf(current))) metadata.generation = (current.metadata.generation ?? 0) + 1;
    if (dryRun) return draft;
    const isLast = metadata.deletionTimestamp !== undefined && !metadata.finalizers?.length;
    return record(resourceOf(at), isLast ? 'DELETED' : 'MODIFIED', draft, current);
  };

  const apply = (at: RequestPath, wanted: KubeObject, dryRun: boolean): KubeResponse => {
    const manager = [resourceOf(at), keyOf(wanted), at.subresource, at.query.get('fieldManager')].join(' ');
    const before = configurations.get(manager);
    if (!dryRun) configurations.set(manager, cloneJson(wanted));
    const current = tableOf(resourceOf(at)).get(keyOf(wanted));
    if (current) return ok(update(at, current, applied(current, before, wanted) as KubeObject, dryRun));
    if (at.subresource) return ok(existing(at));
    return { status: 201, headers: {}, body: create(at, wanted, dryRun) };
  };

  const remove = (at: RequestPath, body: DeleteBody): KubeObject | undefined => {
    const current = existing(at);
    for (const field of ['uid', 'resourceVersion'] as const) {
      const demanded = body.preconditions?.[field];
      if (demanded === undefined || demanded === current.metadata[field]) continue;
      const name = field === 'uid' ? 'UID' : 'ResourceVersion';
      throw refusal(
        409,
        'Conflict',
        at,
        `the ${name} in the precondition (${demanded}) does not match the ${name} in record (${current.metadata[field]})`,
      );
    }
    if (body.dryRun?.includes('All') || current.metadata.deletionTimestamp) return current;
    if (!current.metadata.finalizers?.length) {
      record(resourceOf(at), 'DELETED', current, current);
      return undefined;
    }
    const draft = cloneJson(current);
    draft.metadata.deletionTimestamp = timestamp(clock.now());
    return record(resourceOf(at), 'MODIFIED', draft, current);
  };

  const list = (at: RequestPath): unknown => {
    const token = at.query.get('continue');
    const [tokenRevision = '', after = ''] = token ? (JSON.parse(atob(token)) as string[]) : [];
    const snapshot = token ? Number(tokenRevision) : revision;
    if (snapshot < compactedTo) {
      throw refusal(
        410,
        'Expired',
        at,
        'The provided continue parameter is too old to display a consistent list result.',
      );
    }
    const selects = selection(at);
    const all = objectsAt(resourceOf(at), snapshot).filter(selects);
    const candidates = all.filter((object) => !token || keyOf(object) > after);
    const limit = Number(at.query.get('limit') ?? 0) || candidates.length;
    const items = candidates.slice(0, limit);
    const last = items.at(-1);
    const remaining = candidates.length - items.length;
    return {
      kind: 'List',
      apiVersion: apiVersionOf(at),
      metadata: {
        resourceVersion: String(snapshot),
        ...(remaining > 0 && last
          ? { continue: btoa(JSON.stringify([String(snapshot), keyOf(last)])), remainingItemCount: remaining }
          : {}),
      },
      items,
    };
  };

  /** The state as it was, found by undoing what came after. */
  const objectsAt = (resource: string, atRevision: number): KubeObject[] => {
    const objects = new Map(tableOf(resource));
    for (const event of history.toReversed()) {
      if (event.revision <= atRevision) break;
      if (event.resource !== resource) continue;
      if (event.previous) objects.set(keyOf(event.object), event.previous);
      else objects.delete(keyOf(event.object));
    }
    return [...objects.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  };

  const answer = (request: KubeRequest): KubeResponse => {
    const at = parseRequestPath(request.path);
    if (!at) throw refusal(404, 'NotFound', undefined, 'the server could not find the requested resource');
    const dryRun = at.query.get('dryRun') === 'All';
    const body = request.body;
    if (request.method === 'POST') return { status: 201, headers: {}, body: create(at, body as KubeObject, dryRun) };
    if (at.name === undefined) return ok(list(at));
    switch (request.method) {
      case 'GET':
        return ok(existing(at));
      case 'PUT':
        return ok(update(at, existing(at), body as KubeObject, dryRun));
      case 'PATCH': {
        if (request.contentType === 'application/apply-patch+yaml') return apply(at, body as KubeObject, dryRun);
        const current = existing(at);
        return ok(update(at, current, patched(at, current, request), dryRun));
      }
      case 'DELETE':
        return ok(
          remove(at, (body ?? {}) as DeleteBody) ?? { ...success, details: { name: at.name, kind: at.plural } },
        );
    }
  };

  for (const object of options.objects ?? []) {
    const [group = '', version] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : ['', ''];
    if (version === undefined) throw new TypeError(`apiVersion ${object.apiVersion} cannot be read`);
    seedOne(resourceOf({ group, plural: guessPlural(object.kind) }), object);
  }

  return {
    requests,
    get revision() {
      return revision;
    },
    seed(resource, ...objects) {
      for (const object of objects) seedOne(resourceOf(resource), object);
    },
    stored: (resource) => [...tableOf(resourceOf(resource)).values()],
    endWatches(error) {
      for (const watch of watches) watch.end(error);
      watches.clear();
    },
    bookmark() {
      for (const watch of watches) watch.bookmark(revision);
    },
    compact() {
      compactedTo = revision;
      history = [];
    },
    intercept(hook) {
      before = hook;
    },

    async request(request) {
      requests.push(request);
      request.signal?.throwIfAborted();
      await before?.(request);
      try {
        return answer(request);
      } catch (error) {
        const refused = error instanceof SelectorError ? refusal(400, 'BadRequest', undefined, error.message) : error;
        if (!(refused instanceof StatusError)) throw error;
        return { status: refused.code, headers: {}, body: refused.status };
      }
    },

    async *stream(request, signal) {
      requests.push(request);
      await before?.(request);
      if (signal.aborted) return;
      const at = parseRequestPath(request.path);
      if (!at) throw refusal(404, 'NotFound', undefined, 'the server could not find the requested resource');
      const since = at.query.get('resourceVersion') ?? '';
      if (since !== '' && since !== '0' && Number(since) < compactedTo) {
        const gone = refusal(410, 'Expired', at, `too old resource version: ${since} (${compactedTo})`);
        yield { type: 'ERROR', object: gone.status as unknown as KubeObject };
        return;
      }
      const watch = createWatch(at);
      watches.add(watch);
      if (since === '' || since === '0') for (const object of objectsAt(resourceOf(at), revision)) watch.show(object);
      else for (const event of history) if (event.revision > Number(since)) watch.offer(event);
      const stop = () => watch.end();
      signal.addEventListener('abort', stop, { once: true });
      try {
        yield* watch.frames;
      } finally {
        signal.removeEventListener('abort', stop);
        watches.delete(watch);
      }
    },
  };
}

interface DeleteBody {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

function patched(at: RequestPath, current: KubeObject, request: KubeRequest): KubeObject {
  switch (request.contentType) {
    case 'application/merge-patch+json':
      return mergePatched(current, request.body) as KubeObject;
    case 'application/json-patch+json':
      try {
        return jsonPatched(current, request.body as JsonPatchOp[]) as KubeObject;
      } catch (error) {
        throw refusal(
          422,
          'Invalid',
          at,
          `the server rejected our request due to an error in our request: ${String(error)}`,
        );
      }
    default:
      throw refusal(
        415,
        'UnsupportedMediaType',
        at,
        `the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json`,
      );
  }
}

function setStatus(draft: KubeObject, status: unknown): void {
  if (status === undefined) delete draft.status;
  else draft.status = cloneJson(status);
}

/** Everything a change of which raises the generation. */
function specOf({ metadata: _metadata, status: _status, ...rest }: KubeObject): unknown {
  return rest;
}

function guessPlural(kind: string): string {
  const lower = kind.toLowerCase();
  if (/(?:s|x|ch|sh)$/.test(lower)) return `${lower}es`;
  return /[^aeiou]y$/.test(lower) ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}

function ok(body: unknown): KubeResponse {
  return { status: 200, headers: {}, body };
}
