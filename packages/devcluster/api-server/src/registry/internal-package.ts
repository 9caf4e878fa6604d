import type { ResourceDefinition } from './resource-definition.js';

/** Name of the Go package that holds the version of a group that conversions go through. */
export function internalPackage({ group }: ResourceDefinition): string {
  return group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.')[0] ?? group);
}
