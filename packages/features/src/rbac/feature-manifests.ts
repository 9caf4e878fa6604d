import type { KubeObject } from '@slipway/kube';
import { dynamicPolicyObjects } from '../operations/install-dynamic-policy.js';
import { reporterRoleObject } from '../operations/install-reporter-role.js';
import { agentRights } from './agent-rights.js';
import { authorPolicyObjects, authorStampObjects } from './author-policy.js';
import { authorRightsPolicyObjects } from './author-rights-policy.js';
import { rolesOfPeople } from './roles-of-people.js';
import { serverRights } from './server-rights.js';

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

/** The same for node agents. The role of reporters has to be there. */
export function nodeAgentManifests(): readonly KubeObject[] {
  return agentRights();
}
