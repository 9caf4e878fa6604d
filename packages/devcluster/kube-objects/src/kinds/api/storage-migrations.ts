import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';

/** StorageVersionMigration of storagemigration.k8s.io/v1. */
export interface StorageVersionMigration extends KubeObject {
  spec: { readonly resource: { readonly group?: string; readonly resource: string } };
  status?: { conditions?: readonly Condition[]; resourceVersion?: string };
}

export const storageVersionMigrations: ResourceRef<StorageVersionMigration> = {
  group: 'storagemigration.k8s.io',
  version: 'v1',
  kind: 'StorageVersionMigration',
  plural: 'storageversionmigrations',
  namespaced: false,
};
