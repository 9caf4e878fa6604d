import { invalid } from '@slipway/api-machinery/errors/status-errors';
import { StatusError, stringifyJson } from '@slipway/kube';
import type { Call, Core } from '../core/core.js';
import { listAnswer, objectAnswer } from '../core/represent.js';
import type { ApiAnswer } from '../request/request.js';
import { deletedStatus, jsonAnswer } from '../response/answers.js';
import { bareOf, type Served, valuePayload } from '../response/payloads.js';
import { deleteObject, hasUnsafeDelete } from '../write/delete-object.js';
import { type DeleteOptions, readDeleteOptions } from '../write/delete-options.js';
import { readListQuery, readPage } from './list.js';

/** DELETE of one object. */
export async function remove(core: Core, call: Call): Promise<ApiAnswer> {
  const options = optionsOf(call);
  warnOfOrphans(call, options);
  const deleted = await deleteObject(core, call, options);
  if (!deleted.gone) return objectAnswer(core, call, 200, deleted.object);
  const { last } = deleted;
  if (call.definition.returnsDeleted) return objectAnswer(core, call, 200, { object: last, json: stringifyJson(last) });
  return jsonAnswer(200, valuePayload(deletedStatus(call.definition, call.name, last.metadata.uid ?? '')));
}

/** DELETE of a collection: every object that the selectors name, each in its own right. Answers what there was. */
export async function removeCollection(core: Core, call: Call): Promise<ApiAnswer> {
  const { options: listOptions, selection } = readListQuery(call, false);
  const options = optionsOf(call);
  if (options.ignoresStoreErrors && hasUnsafeDelete(core)) throw notForCollections();
  warnOfOrphans(call, options);
  const page = await readPage(core, call, listOptions, selection);
  const items: Served[] = [];
  for (let at = 0; at < page.items.length; at += maxAtOnce) {
    const some = page.items.slice(at, at + maxAtOnce);
    const removed = await Promise.all(some.map((item) => removeItem(core, call, item, options)));
    items.push(...removed.filter((item) => item !== undefined));
  }
  return listAnswer(core, call, items, { resourceVersion: String(core.store.revision) });
}

/** Objects of a collection that are deleted at once: a few milliseconds of work. */
const maxAtOnce = 50;

/** Undefined when another client was faster. */
async function removeItem(core: Core, call: Call, item: Served, options: DeleteOptions): Promise<Served | undefined> {
  const { name = '', namespace = '' } = bareOf(item).metadata;
  try {
    await deleteObject(core, { ...call, name, namespace }, options, 'collection');
    return item;
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  }
}

function notForCollections() {
  const field = 'ignoreStoreReadErrorWithClusterBreakingPotential';
  const detail = 'is not allowed with DELETECOLLECTION, try again after removing the option';
  return invalid('DeleteOptions', 'meta.k8s.io', '', [{ type: 'Invalid', field, value: true, detail }]);
}

function warnOfOrphans({ definition, warn }: Call, { propagation }: DeleteOptions): void {
  if (definition.orphanWarning !== undefined && propagation === undefined) warn(definition.orphanWarning);
}

function optionsOf(call: Call): DeleteOptions {
  const { body, headers } = call.request;
  return readDeleteOptions(call.query, body, headers['content-type']);
}
