import { epochConfigMap } from '@slipway/feature-gates';
import { type KubeObject, type PolicyRule, role, roleBinding, policyRule as rule } from '@slipway/kube';
import { group } from '../api/group.js';
import { nativeClass, politeClass } from '../priority/priority-modes.js';
import type { BalloonInstallation } from './balloon-installation.js';

const name = 'slipway-balloons';
const follow = ['list', 'watch'];
const read = ['get', ...follow];

/** In the whole cluster: it reads nodes and pods, closes and opens nodes, and writes what it says of sizes. */
const everywhere: readonly PolicyRule[] = [
  rule('', ['nodes'], [...read, 'update']),
  rule('', ['pods'], follow),
  // Which nodes the volumes of a pod that lacks room can be used on.
  rule('', ['persistentvolumeclaims', 'persistentvolumes'], ['get']),
  rule('', ['events'], ['create', 'patch']),
  rule(group, ['nodesizes'], [...read, 'create', 'update', 'patch']),
  rule(group, ['balloonpolicies'], [...read, 'update']),
  rule(group, ['hostpartitions'], follow),
  rule(group, ['nodesizes/status', 'hostpartitions/status'], ['update']),
  rule(group, ['balloonpolicies/status'], ['patch']),
  { ...rule('scheduling.k8s.io', ['priorityclasses'], ['get']), resourceNames: [nativeClass] },
  { ...rule('scheduling.k8s.io', ['priorityclasses'], ['patch']), resourceNames: [nameOf(politeClass)] },
  // A name cannot be demanded of what is created.
  rule('scheduling.k8s.io', ['priorityclasses'], ['create']),
  rule('metrics.k8s.io', ['nodes', 'pods'], ['list']),
];

/** Where balloons live, whose pods it lists with all others. Admission policies narrow this to balloon pods, which RBAC cannot. */
const amongBalloons: readonly PolicyRule[] = [
  rule('', ['pods'], ['get', 'patch']),
  rule('', ['pods/resize'], ['patch']),
  rule('apps', ['daemonsets'], [...follow, 'create', 'patch', 'delete']),
  // Its gate is reported here, as those of the control plane are, and the value to have is read here.
  rule('features.slipway.dev', ['featurevectors'], ['create']),
  rule('features.slipway.dev', ['featureuses'], ['create', 'patch', 'delete']),
  rule('features.slipway.dev', ['features'], follow),
  { ...rule('', ['configmaps'], follow), resourceNames: [epochConfigMap] },
];

/** In its own namespace: the lease of the leader. */
const atHome: readonly PolicyRule[] = [rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update'])];

/** Returns the service account of the balloon controller and its minimal rights. */
export function controllerRights({ namespace, serviceAccount, balloons }: BalloonInstallation): readonly KubeObject[] {
  const account = { name: serviceAccount, namespace };
  const roles = [
    role(name, everywhere),
    role(name, balloons === namespace ? [...amongBalloons, ...atHome] : amongBalloons, balloons),
    ...(balloons === namespace ? [] : [role(name, atHome, namespace)]),
  ];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
    ...roles,
    ...roles.map((each) => roleBinding(each, { kind: 'ServiceAccount', ...account })),
  ];
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? '';
}
