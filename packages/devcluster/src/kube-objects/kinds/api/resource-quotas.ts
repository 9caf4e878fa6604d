import type { KubeObject, ResourceRef } from '@slipway/kube';
import type { QuotaSpec } from '../../rules/scopes.js';

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
