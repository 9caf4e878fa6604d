import { equalJson } from '@slipway/api-machinery/json/json-value';
import type { KubeObject } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';

/** Whether objects of the resource count their changes in metadata.generation. */
export function hasGeneration(definition: ResourceDefinition): boolean {
  return definition.origin === 'custom' || definition.generationFields.length > 0;
}

/** Whether a write of `object` over `old` is a new generation. Custom resources count everything but metadata and, where it is a subresource, status. */
export function raisesGeneration(definition: ResourceDefinition, object: KubeObject, old: KubeObject): boolean {
  if (definition.origin !== 'custom') {
    return definition.generationFields.some((field) => !equalJson(object[field], old[field]));
  }
  const ignored = (field: string) =>
    field === 'metadata' || (field === 'status' && definition.subresources.status === true);
  const fields = new Set([...Object.keys(object), ...Object.keys(old)]);
  return [...fields].some((field) => !ignored(field) && !equalJson(object[field], old[field]));
}
