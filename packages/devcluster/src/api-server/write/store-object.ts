import { type KubeObject, stringifyJson } from '@slipway/kube';
import { statusError } from '../../registry/status-errors.js';
import type { Entry } from '../../storage/store.js';
import type { Call, Core } from '../core.js';
import { sortedCopy } from './json-copy.js';

const objectLimit = 1.5 * 1024 * 1024;
/** Below this nothing that a request adds can reach the limit, so nothing needs measuring. */
const carefree = 512 * 1024;

/**
 * Hands an object to the store, in the version that is stored.
 *
 * @throws StatusError when it is larger than the store takes, in the words clients know.
 */
export function storeObject(core: Core, call: Call, object: KubeObject, basis: Entry | undefined): Promise<Entry> {
  const { definition, request } = call;
  const stored = definition.view?.toStored(object) ?? object;
  const sent = request.body && 'bytes' in request.body ? request.body.bytes.length : carefree;
  if (sent + (basis?.size ?? 0) > carefree) demandRoom(stored);
  if (definition.origin === 'built-in') return core.store.put(definition.storedAs, stored, basis);
  // Custom objects come back with their keys in order; the store would add the version at the end.
  const versioned = { ...stored, metadata: { ...stored.metadata, resourceVersion: '0' } };
  return core.store.put(definition.storedAs, sortedCopy(versioned), basis);
}

function demandRoom(object: KubeObject): void {
  if (Buffer.byteLength(stringifyJson(object)) <= objectLimit) return;
  throw statusError(500, undefined, 'etcdserver: request is too large');
}
