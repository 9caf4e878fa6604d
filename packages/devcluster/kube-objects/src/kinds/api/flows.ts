import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';
import type { FlowSchemaSpec, PriorityLevelSpec } from '../flow-objects.js';

/** FlowSchema of flowcontrol.apiserver.k8s.io/v1. */
export interface FlowSchema extends KubeObject {
  spec: FlowSchemaSpec;
  status?: { conditions?: readonly Condition[] };
}

/** PriorityLevelConfiguration of flowcontrol.apiserver.k8s.io/v1. */
export interface PriorityLevelConfiguration extends KubeObject {
  spec: PriorityLevelSpec;
}

const group = 'flowcontrol.apiserver.k8s.io';

export const flowSchemas: ResourceRef<FlowSchema> = {
  group,
  version: 'v1',
  kind: 'FlowSchema',
  plural: 'flowschemas',
  namespaced: false,
};

export const priorityLevels: ResourceRef<PriorityLevelConfiguration> = {
  group,
  version: 'v1',
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  namespaced: false,
};
