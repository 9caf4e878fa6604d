import { equalJson } from '@slipway/api-machinery/json/json-value';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import type { KubeObject } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';

/** Whether a server of `version` counts the changes of objects of the resource in metadata.generation. */
export function hasGeneration(definition: ResourceDefinition, version: string): boolean {
  const { origin, generationFields, generationSince } = definition;
  if (generationSince !== undefined && minorOf(version) < minorOf(generationSince)) return false;
  return origin === 'custom' || generationFields.length > 0;
}

/** Whether a write of `object` over `old` is a new generation. Custom resources count everything but metadata and, where it is a subresource, status. */
export function raisesGeneration(definition: ResourceDefinition, object: KubeObject, old: KubeObject): boolean {
  if (definition.origin !== 'custom') {
    const partOf = (of: KubeObject, field: string) => (field === 'labels' ? (of.metadata.labels ?? {}) : of[field]);
    return definition.generationFields.some((field) => !equalJson(partOf(object, field), partOf(old, field)));
  }
  const ignored = (field: string) =>
    field === 'metadata' || (field === 'status' && definition.subresources.status === true);
  const fields = new Set([...Object.keys(object), ...Object.keys(old)]);
  return [...fields].some((field) => !ignored(field) && !equalJson(object[field], old[field]));
}
