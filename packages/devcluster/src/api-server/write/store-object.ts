import type { KubeObject } from '@slipway/kube';
import type { Entry } from '../../storage/store.js';
import type { Call, Core } from '../core.js';
import { sortedCopy } from './json-copy.js';
import { storageKey } from './storage-key.js';
import { noRoom } from './storage-room.js';

/** Below this nothing that a request adds can reach the limit, so nothing needs measuring. */
const carefree = 512 * 1024;

/**
 * Hands an object to the store, in the version that is stored. Who owns its fields is forgotten
 * where that makes room for it, as Kubernetes does.
 *
 * @throws StatusError when it is larger than the store takes, in the words clients know.
 */
export function storeObject(core: Core, call: Call, object: KubeObject, basis: Entry | undefined): Promise<Entry> {
  const { definition, request } = call;
  let stored = definition.view?.toStored(object) ?? object;
  const sent = request.body && 'bytes' in request.body ? request.body.bytes.length : carefree;
  if (sent + (basis?.size ?? 0) > carefree) stored = withRoom(core, call, stored, basis);
  if (definition.origin === 'built-in') return core.store.put(definition.storedAs, stored, basis);
  // Custom objects come back with their keys in order; the store would add the version at the end.
  const versioned = { ...stored, metadata: { ...stored.metadata, resourceVersion: '0' } };
  return core.store.put(definition.storedAs, sortedCopy(versioned), basis);
}

function withRoom(core: Core, call: Call, object: KubeObject, basis: Entry | undefined): KubeObject {
  const key = storageKey(core, { ...call, name: object.metadata.name ?? '' });
  const revision = basis && Number(basis.object.metadata.resourceVersion);
  if (!noRoom(object, key, revision)) return object;
  const { managedFields: _owners, ...metadata } = object.metadata;
  const smaller = { ...object, metadata };
  const refusal = noRoom(smaller, key, revision);
  if (refusal) throw refusal;
  return smaller;
}
