import type { KubeObject } from '@slipway/kube';
import type { ResourceDefinition } from './resource-definition.js';

/** How a version looks at objects that are stored in another, when the two differ in nothing but their name. */
export function viewIn(group: string, version: string, stored: string): Pick<ResourceDefinition, 'view'> | undefined {
  if (version === stored) return undefined;
  const as = (name: string) => (object: KubeObject) => ({ ...object, apiVersion: `${group}/${name}` });
  return { view: { fromStored: as(version), toStored: as(stored) } };
}
