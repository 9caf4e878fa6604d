import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import type { KubeObject } from '@slipway/kube';
import type { Entry } from '@slipway/object-store/store';
import type { Call, Core } from '../core/core.js';
import { grownByDefaults } from '../crd/room-for-defaults.js';
import { lengthOfCopied, shortestCounted, sortedCopy } from '../request/json-copy.js';
import { storageKey } from './storage-key.js';
import { noRoom } from './storage-room.js';

/** Below this nothing that a request adds can reach the limit, so nothing needs measuring. */
const carefree = 512 * 1024;

/**
 * An object in the version and form that is stored. Who owns its fields is forgotten
 * where that makes room for it, as Kubernetes does.
 *
 * @throws StatusError when it is larger than the store takes, in the words clients know.
 */
export function* storable(core: Core, call: Call, object: KubeObject, basis: Entry | undefined): Resumable<KubeObject> {
  const { definition, request } = call;
  let stored = definition.view?.toStored(object) ?? object;
  if (sentIn(request) + grownByDefaults(object) + (basis?.size ?? 0) > carefree)
    stored = yield* withRoom(core, call, stored, basis);
  if (definition.origin === 'built-in') return stored;
  // Custom objects come back with their keys in order; the store would add the version at the end.
  return sortedCopy({ ...stored, metadata: { ...stored.metadata, resourceVersion: '0' } });
}

/** Bytes of a body. Those of a value that is handed over in process are known about, with room for its escapes. */
function sentIn({ body }: Call['request']): number {
  if (!body) return carefree;
  return 'bytes' in body ? body.bytes.length : 3 * (lengthOfCopied(body.value) ?? shortestCounted);
}

function* withRoom(core: Core, call: Call, object: KubeObject, basis: Entry | undefined): Resumable<KubeObject> {
  const key = storageKey(core, { ...call, name: object.metadata.name ?? '' });
  const revision = basis && Number(basis.object.metadata.resourceVersion);
  if (!(yield* noRoom(object, key, revision))) return object;
  const { managedFields: _owners, ...metadata } = object.metadata;
  const smaller = { ...object, metadata };
  const refusal = yield* noRoom(smaller, key, revision);
  if (refusal) throw refusal;
  return smaller;
}
