import type { KubeObject, ResourceRef } from '@slipway/kube';

/** One condition of a quota on the pods that it counts. */
export interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** The spec of a ResourceQuota. */
export interface QuotaSpec {
  readonly hard?: Readonly<Record<string, string>>;
  readonly scopes?: readonly string[];
  readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] };
}

/** ResourceQuota of core/v1. */
export interface ResourceQuota extends KubeObject {
  spec: QuotaSpec;
  status?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly used?: Readonly<Record<string, string>>;
  };
}

export const resourceQuotas: ResourceRef<ResourceQuota> = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};
