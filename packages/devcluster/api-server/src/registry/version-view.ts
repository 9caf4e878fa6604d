import type { KubeObject } from '@slipway/kube';
import type { ResourceDefinition } from './resource-definition.js';

/** Returns the view of stored objects in another version that differs in nothing but its name. */
export function viewIn(group: string, version: string, stored: string): Pick<ResourceDefinition, 'view'> | undefined {
  if (version === stored) return undefined;
  const as = (name: string) => (object: KubeObject) => ({ ...object, apiVersion: `${group}/${name}` });
  return { view: { fromStored: as(version), toStored: as(stored) } };
}
