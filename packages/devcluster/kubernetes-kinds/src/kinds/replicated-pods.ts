import { ageColumn, countColumn, templateColumns } from '@slipway/api-server/registry/columns';
import type { KubeObject } from '@slipway/kube';

/** The scale subresource of kinds whose selector is a label selector. */
export const scaledBySelector = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

/** What ReplicaSets and ReplicationControllers have in common: their counts of pods. */
export const replicaCounts = {
  initialStatus: () => ({ replicas: 0 }),
  selectableFields: { 'status.replicas': ({ status }: KubeObject) => String(status?.replicas ?? 0) },
};

export const replicaColumns = [
  countColumn('Desired', 'Pods wanted.', ({ spec }) => spec?.replicas),
  countColumn('Current', 'Pods there are.', ({ status }) => status?.replicas),
  countColumn('Ready', 'Pods that are ready.', ({ status }) => status?.readyReplicas),
  ageColumn,
  ...templateColumns,
];
