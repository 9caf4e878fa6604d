import type { KubeObject } from '@slipway/kube';
import { authorPolicyObjects, authorStampObjects } from '../rbac/author-policy.js';
import { authorRightsPolicyObjects } from '../rbac/author-rights-policy.js';
import { reporterRoleObject } from '../rbac/reporter-role.js';
import { rolesOfPeople } from '../rbac/roles-of-people.js';
import { serverRights } from '../rbac/server-rights.js';
import { dynamicPolicyObjects } from './install-dynamic-policy.js';

export interface FeatureManifestOptions {
  /** Whether the feature server may make admission policies that reject the use of features that are off. */
  readonly guards?: boolean;
  /** The version of MutatingAdmissionPolicy with which the API server fills in authors. It does not when absent. */
  readonly stampVersion?: string | undefined;
}

/**
 * Returns what the feature server needs of the API beside its kinds and the process itself, and the roles of users
 * and reporters, to be created before the kinds. The namespace must exist.
 */
export function featureManifests(options: FeatureManifestOptions = {}): readonly KubeObject[] {
  const { guards = true, stampVersion } = options;
  return [
    ...authorPolicyObjects(),
    ...authorRightsPolicyObjects(),
    ...(stampVersion === undefined ? [] : authorStampObjects(stampVersion)),
    reporterRoleObject(),
    ...rolesOfPeople(),
    ...serverRights({ guards }),
    ...dynamicPolicyObjects(),
  ];
}
