import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';

/** Namespace of core/v1. */
export interface Namespace extends KubeObject {
  spec?: { finalizers?: readonly string[] };
  status?: { phase?: 'Active' | 'Terminating'; conditions?: Condition[] };
}

/** ConfigMap of core/v1. */
export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

/** Secret of core/v1; its data is base64. */
export interface Secret extends KubeObject {
  data?: Record<string, string>;
}

export const namespaces: ResourceRef<Namespace> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

export const configMaps: ResourceRef<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

export const secrets: ResourceRef<Secret> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};

export const serviceAccounts: ResourceRef = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};
