import { ourProvisioner } from '@slipway/controllers/persistent-volume/plan-claim';
import type { Kube } from '@slipway/kube';
import { type StorageClass, storageClasses } from '@slipway/kube-objects/kinds/api/volumes';
import { defaultClassAnnotation } from '@slipway/kubernetes-kinds/kinds/storage-class';
import { objectEnsurer } from './ensure-objects.js';

/** Makes the default storage class of a cluster, whose volumes are there at once. */
export async function ensureStandardStorage(kube: Kube): Promise<void> {
  await objectEnsurer(kube)(storageClasses, standardStorage);
}

const standardStorage: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { [defaultClassAnnotation]: 'true' } },
  provisioner: ourProvisioner,
};
