import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import type { KubeObject } from '@slipway/kube';
import type { Call, Core } from '../core/core.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { readWriteOptions } from '../request/write-options.js';
import { decodeObject } from '../write/body.js';
import { ownersOfNew, setOwners } from '../write/owners.js';
import { matchNamespace } from '../write/write-guards.js';

/** A body that is of a kind of its own. */
export interface PartBody {
  readonly object: KubeObject;
  readonly dryRun: boolean;
}

/**
 * Reads the body of a create that makes a part of an object, or answers a question. Its writer owns what it says.
 * @param metadata whether what a server says in metadata is left to the body, which names by it what its writer saw
 * @throws StatusError UnsupportedMediaType, BadRequest or Invalid
 */
export function readPartBody(
  core: Core,
  call: Call,
  kind: ResourceDefinition,
  metadata: 'kept' | 'cleared' = 'cleared',
): PartBody {
  const { body, headers } = call.request;
  const { fieldValidation, fieldManager, dryRun } = readWriteOptions(call.query, 'CreateOptions');
  const { object, warnings } = decodeObject(kind, body, headers['content-type'], fieldValidation);
  for (const text of warnings) call.warn(text);
  if (metadata === 'cleared') for (const field of ofServer) delete object.metadata[field];
  matchNamespace({ ...call, definition: kind }, object);
  setOwners(object, runToCompletion(ownersOfNew(core, { ...call, definition: kind }, object, fieldManager)));
  return { object, dryRun };
}

const ofServer = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;
