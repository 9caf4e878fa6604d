import { type KubeObject, role } from '@slipway/kube';
import { group } from '../api/group.js';

const kinds = ['nodesizes', 'balloonpolicies', 'hostpartitions'];
const read = ['get', 'list', 'watch'];
const write = ['create', 'update', 'patch', 'delete'];

/**
 * Roles for people and for other scalers. A writer of sizes can starve or overcommit a node, so these rights are not
 * aggregated to other roles.
 */
export function rolesOfPeople(): readonly KubeObject[] {
  const seeing = [
    { apiGroups: [group], resources: kinds, verbs: read },
    { apiGroups: [''], resources: ['nodes', 'pods'], verbs: read },
  ];
  const sizing = { apiGroups: [group], resources: ['nodesizes'], verbs: write };
  const deciding = { apiGroups: [group], resources: ['balloonpolicies', 'hostpartitions'], verbs: write };
  return [
    role('slipway-node-viewer', seeing),
    role('slipway-node-sizer', [...seeing, sizing]),
    role('slipway-node-admin', [...seeing, sizing, deciding]),
  ];
}
