import { epochConfigMap } from '@slipway/feature-gates';
import { role as newRole, type Role } from '@slipway/kube';
import { group } from '../api/group.js';

/**
 * The ClusterRole of processes that report their gates and follow what is published.
 * Bound in a namespace it is all that a component there needs.
 */
export const reporterRole = 'slipway:feature-reporter';

/** The ClusterRole of reporters. */
export function reporterRoleObject(): Role {
  return newRole(reporterRole, [
    { apiGroups: [group], resources: ['featurevectors'], verbs: ['create'] },
    { apiGroups: [group], resources: ['featureuses'], verbs: ['create', 'delete', 'get', 'patch'] },
    { apiGroups: [group], resources: ['features'], verbs: ['get', 'list', 'watch'] },
    // Where the feature server calls for fresh reports.
    { apiGroups: [''], resources: ['configmaps'], resourceNames: [epochConfigMap], verbs: ['get', 'list', 'watch'] },
  ]);
}
