import { badRequest, expired } from '@slipway/api-machinery/errors/status-errors';
import { yieldToEventLoop } from '@slipway/api-machinery/event-loop/yield-to-event-loop';
import { type KubeObject, StatusError } from '@slipway/kube';
import { CompactedError, type Entry, type ListPage } from '@slipway/object-store/store';
import type { Call, Core } from '../core/core.js';
import { waitForRevision } from '../core/freshness.js';
import { listAnswer } from '../core/represent.js';
import { type Continuation, decodeContinue, encodeContinue } from '../request/continue-token.js';
import { type FieldSelector, fieldRequirements, fieldSelectorOf } from '../request/field-selector.js';
import { parseLabelSelector } from '../request/label-selector.js';
import { type ListOptions, readListOptions } from '../request/list-options.js';
import type { ApiAnswer } from '../request/request.js';
import { parseAskedVersion } from '../request/resource-version.js';
import { type ListMeta, leanOf, type Served, serve } from '../response/payloads.js';

/** What a call selects among the objects of its resource. */
export interface Selection {
  /** Undefined = everything. */
  readonly matches: ((object: KubeObject) => boolean) | undefined;
  /** How many usual objects one takes as long to look at as with these selectors, beyond the first. */
  readonly effort: number;
  /** The only name that can match, when known. */
  readonly name: string | undefined;
  /** The only node on which something can match, when known. */
  readonly nodeName?: string | undefined;
}

/**
 * Reads what a list or a watch asks for, in the order in which Kubernetes finds errors.
 *
 * @throws StatusError BadRequest for a selector that cannot be read; Invalid for options that do not fit.
 */
export function readListQuery(call: Call, watch: boolean): { options: ListOptions; selection: Selection } {
  for (const option of ['limit', 'timeoutSeconds'] as const) call.query.integer(option);
  const labelText = call.query.get('labelSelector') ?? '';
  const labels = parseLabelSelector(labelText);
  const fieldText = call.query.get('fieldSelector') ?? '';
  const requirements = fieldRequirements(fieldText);
  const options = readListOptions(call.query, watch);
  const fields = fieldSelectorOf(requirements, call.definition);
  return { options, selection: selectionOf(labels, fields, labelText.length + fieldText.length) };
}

function selectionOf(
  labels: ReturnType<typeof parseLabelSelector>,
  fields: FieldSelector | undefined,
  length: number,
): Selection {
  if (!labels && !fields) return { matches: undefined, effort: 0, name: undefined };
  return {
    effort: Math.floor(length / usualSelector),
    matches: (object) => (!labels || labels(object.metadata.labels)) && (!fields || fields.matches(object)),
    name: fields?.name,
    nodeName: fields?.nodeName,
  };
}

/** Answers the objects of a collection, whole or one page of it. */
export async function list(core: Core, call: Call): Promise<ApiAnswer> {
  const { options, selection } = readListQuery(call, false);
  const page = await readPage(core, call, options, selection);
  return listAnswer(core, call, page.items, page.metadata);
}

/** One page of a list. */
export interface SelectedPage {
  readonly items: readonly Served[];
  readonly metadata: ListMeta;
}

/**
 * The page that `options` ask for, from the snapshot they ask for.
 *
 * @throws StatusError Expired, Timeout or BadRequest.
 */
export async function readPage(core: Core, call: Call, options: ListOptions, selection: Selection) {
  const from = continuationOf(call, options);
  const asked = from ? from.revision : parseAskedVersion(options.resourceVersion);
  if (asked > core.store.revision) await waitForRevision(core, asked, call.definition);
  // A page of an older list, and an exact list, show what was there then; others what is there now.
  const exact = from ? asked > 0 : isExact(options, asked);
  const limit = options.resourceVersion === '0' ? 0 : options.limit;
  const after = from?.after;
  try {
    return await take(core, call, selection, { limit, after, atRevision: exact ? asked : undefined });
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    throw from
      ? expiredContinuation(core, call, from)
      : expired('The resourceVersion for the provided list is too old.');
  }
}

function isExact(options: ListOptions, asked: number): boolean {
  if (asked === 0) return false;
  if (options.resourceVersionMatch !== '') return options.resourceVersionMatch === 'Exact';
  return options.limit > 0;
}

function continuationOf(call: Call, options: ListOptions): Continuation | undefined {
  if (options.continueToken === '') return undefined;
  const { revision, after } = decodeContinue(options.continueToken);
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return { revision, after: call.namespace === '' ? after : `${call.namespace}/${after}` };
}

/** Objects looked at in one turn of the event loop, some of them for the first time. */
const lookedAtOnce = 250;
/** Characters of an object; one that has more counts as several. */
const usualSize = 4 * 1024;
/** Characters of selectors that take as long to ask as an object to look into. */
const usualSelector = 6_000;
/** Objects that the store is asked for at once, as upstream's storage has it. */
const largestPage = 10_000;

interface Where {
  readonly limit: number;
  readonly after: string | undefined;
  readonly atRevision: number | undefined;
}

async function take(core: Core, call: Call, selection: Selection, where: Where): Promise<SelectedPage> {
  const { definition } = call;
  const { matches, effort } = selection;
  const items: Served[] = [];
  let looked = 0;
  // Where few of many match, small pages would cost more than what is in them.
  let limit = matches && where.limit > 0 ? Math.max(where.limit, lookedAtOnce) : where.limit;
  let page = readStore(core, call, selection, { ...where, limit });
  let last: Entry | undefined;
  for (;;) {
    const converting = core.conversion.prepare(definition, page.entries);
    if (converting) await converting;
    for (const [index, entry] of page.entries.entries()) {
      const served = serve(definition, entry);
      // Looking inside may mean parsing first, and the entries of a page stay what they are.
      looked += matches || definition.view ? 1 + effort + Math.floor(entry.size / usualSize) : 0;
      if (looked >= lookedAtOnce) {
        looked = 0;
        await yieldToEventLoop();
      }
      if (matches && !matches(leanOf(served))) continue;
      items.push(served);
      last = entry;
      // Whether what follows matches is found out by the next page.
      const isLast = index === page.entries.length - 1 && page.next === undefined;
      if (items.length === where.limit && !isLast) return { items, metadata: metaOf(call, page, last) };
    }
    if (page.next === undefined) return { items, metadata: { resourceVersion: String(page.revision) } };
    if (!matches) return { items, metadata: metaOf(call, page, last) };
    limit = Math.min(2 * limit, largestPage);
    page = readStore(core, call, selection, { limit, after: page.next, atRevision: page.revision });
  }
}

function readStore(core: Core, call: Call, selection: Selection, where: Where): ListPage {
  const { definition, namespace } = call;
  const { limit, after, atRevision } = where;
  if (selection.name !== undefined && atRevision === undefined && (namespace !== '' || !definition.namespaced)) {
    const entry = core.store.get(definition.storedAs, namespace, selection.name);
    return { entries: entry ? [entry] : [], revision: core.store.revision, remaining: 0 };
  }
  if (
    selection.nodeName &&
    definition.storedAs === 'pods' &&
    !limit &&
    after === undefined &&
    atRevision === undefined
  ) {
    return { entries: podsOn(core, selection.nodeName, namespace), revision: core.store.revision, remaining: 0 };
  }
  return core.store.list(definition.storedAs, {
    namespace: namespace === '' ? undefined : namespace,
    ...(limit > 0 ? { limit } : {}),
    ...(after === undefined ? {} : { after }),
    ...(atRevision === undefined ? {} : { atRevision }),
  });
}

function podsOn(core: Core, nodeName: string, namespace: string): readonly Entry[] {
  const pods = core.podsByNode.on(nodeName);
  return namespace === '' ? pods : pods.filter((entry) => entry.namespace === namespace);
}

/** Metadata of a page that is not the last. How much remains is known only when nothing is filtered out. */
function metaOf(call: Call, page: ListPage, last: Entry | undefined): ListMeta {
  const key = last ? (call.namespace === '' && last.namespace ? `${last.namespace}/${last.name}` : last.name) : '';
  const selected = call.query.get('labelSelector') || call.query.get('fieldSelector');
  return {
    resourceVersion: String(page.revision),
    continue: encodeContinue(page.revision, key),
    ...(selected ? {} : { remainingItemCount: page.remaining }),
  };
}

/** 410 with a token that goes on from the same place in the present, for clients that can live with that. */
function expiredContinuation(core: Core, call: Call, from: Continuation) {
  const relative = call.namespace === '' ? from.after : from.after.slice(call.namespace.length + 1);
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
    'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
    'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
    'deleted between the time the first chunk was returned and now may show up in the list.';
  const error = expired(message);
  const metadata = { continue: encodeContinue(-1, relative), resourceVersion: String(core.store.revision) };
  return new StatusError({ ...error.status, metadata });
}
