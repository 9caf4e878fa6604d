import { decodeManagers, encodeManagers, ManagedFieldsError } from '@slipway/api-machinery/apply/managers';
import { trackUpdate } from '@slipway/api-machinery/apply/track-update';
import type { TypedKind } from '@slipway/api-machinery/apply/typed-kind';
import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { customResourceDefinitions } from './definition-kind.js';
import type { CustomResourceDefinition } from './definition-object.js';

/** The API server itself writes the status of definitions. */
const writer = { name: 'kube-apiserver', operation: 'Update', subresource: 'status' } as const;

/** A definition whose new status the API server owns, as far as it changed. */
export function ownStatus(
  definition: CustomResourceDefinition,
  before: CustomResourceDefinition,
  time: string,
): CustomResourceDefinition {
  try {
    const managers = runToCompletion(decodeManagers(before.metadata.managedFields));
    if (managers.size === 0) return definition;
    const tracked = runToCompletion(trackUpdate(statusKind(), before, definition, managers, writer, time));
    const managedFields = runToCompletion(encodeManagers(tracked)) ?? [];
    return { ...definition, metadata: { ...definition.metadata, managedFields } };
  } catch (error) {
    if (error instanceof ManagedFieldsError) return definition;
    throw error;
  }
}

function statusKind(): TypedKind {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    type: customResourceDefinitions.schema.root,
    ignored: { 'f:metadata': {}, 'f:spec': {} },
    at: () => undefined,
  };
}
