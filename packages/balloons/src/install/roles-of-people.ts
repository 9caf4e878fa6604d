import { type KubeObject, role } from '@slipway/kube';
import { group } from '../api/group.js';

const kinds = ['nodesizes', 'balloonpolicies', 'hostpartitions'];
const read = ['get', 'list', 'watch'];
const write = ['create', 'update', 'patch', 'delete'];

/**
 * Roles for people and for foreign scalers. Whoever may write sizes can starve a node or promise
 * more than a machine has, so that nobody has these rights by another role.
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
