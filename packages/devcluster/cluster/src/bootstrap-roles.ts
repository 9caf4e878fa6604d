import type { PolicyRule } from '@slipway/api-machinery/identity/access';
import { autoupdate, declaredRoles, rbacGroup } from '@slipway/api-server/auth/bootstrap/declared-roles';
import { missingRights } from '@slipway/api-server/auth/rbac/covers';
import type { Kube, KubeObject, ResourceRef } from '@slipway/kube';
import { type Change, objectEnsurer } from './ensure-objects.js';

/**
 * Makes the roles of a Kubernetes version that people and components need, and gives them to whom they are for. A role that
 * is there gets the permissions it lacks, unless it is marked to be left alone: components may have learnt to do more since
 * it was made.
 * @param minor 37 of 1.37
 */
export function bootstrapRoles(kube: Kube, minor: number): Promise<void> {
  const needed = declaredRoles(minor).filter((object) => !isForAddOns(object));
  return ensureAll(kube, [...needed.map(asOursNeed), ...ofSimulatedKubelets]);
}

/** The same for roles that no component here needs; the start does not wait for them, and they keep nothing else waiting. */
export async function bootstrapOtherRoles(kube: Kube, minor: number): Promise<void> {
  const ensure = objectEnsurer(kube);
  for (const object of declaredRoles(minor).filter(isForAddOns)) await ensure(resourceOf(object), ...kept(object));
}

/** Roles of single namespaces, of add-ons, and of controllers that do not run here. */
function isForAddOns({ metadata: { namespace, name = '' } }: KubeObject): boolean {
  return namespace !== undefined || addOns.test(name);
}

const addOns =
  /^system:(?:certificates\.k8s\.io:|cluster-trust|heapster|kube-(?:aggregator|dns)|kubelet-api|node|persistent-|controller:(?:expand|kube-apiserver|legacy|podcert|route|selinux|service-controller|ttl-controller|volumeattributes))/;

function asOursNeed(object: KubeObject): KubeObject {
  const [, controller] = /^system:controller:(.+)/.exec(object.metadata.name ?? '') ?? [];
  if (object.kind !== 'ClusterRole' || controller === undefined) return object;
  return { ...object, rules: [...object.rules.map(patchToo), ...(readingToo[controller] ?? [])] };
}

/** These read a pod again before they write it, where those of Kubernetes send a patch. */
const readingToo: Readonly<Record<string, readonly PolicyRule[]>> = {
  'job-controller': [{ verbs: ['get', 'update'], apiGroups: [''], resources: ['pods'] }],
  'pod-garbage-collector': [
    { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
    { verbs: ['update'], apiGroups: [''], resources: ['pods/status'] },
  ],
};

/** Where controllers of Kubernetes update, ours send what changes. */
function patchToo(rule: PolicyRule): PolicyRule {
  const isLacking = rule.verbs.includes('update') && !rule.verbs.includes('patch');
  return isLacking ? { ...rule, verbs: [...rule.verbs, 'patch'] } : rule;
}

async function ensureAll(kube: Kube, declared: readonly KubeObject[]): Promise<void> {
  const ensure = objectEnsurer(kube);
  await Promise.all(declared.map((object) => ensure(resourceOf(object), ...kept(object))));
}

function resourceOf({ kind }: KubeObject): ResourceRef {
  return resources[kind] as ResourceRef;
}

const resources: Readonly<Record<string, ResourceRef>> = Object.fromEntries(
  ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map((kind) => {
    const namespaced = !kind.startsWith('Cluster');
    return [kind, { group: rbacGroup, version: 'v1', kind, plural: `${kind.toLowerCase()}s`, namespaced }];
  }),
);

const kubelets = 'system:slipway:kubelets';
const ofOurs = {
  apiVersion: `${rbacGroup}/v1`,
  metadata: {
    name: kubelets,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
    annotations: { [autoupdate]: 'true' },
  },
};

/** The simulated kubelets share what they hear. */
const ofSimulatedKubelets: readonly KubeObject[] = [
  {
    ...ofOurs,
    kind: 'ClusterRole',
    rules: [
      { verbs: ['create', 'patch', 'update'], apiGroups: ['', 'events.k8s.io'], resources: ['events'] },
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['nodes', 'pods'] },
    ],
  },
  {
    ...ofOurs,
    kind: 'ClusterRoleBinding',
    subjects: [{ kind: 'User', apiGroup: rbacGroup, name: kubelets }],
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: kubelets },
  },
];

/** A declared object, and how one that is there gets what it lacks of it, unless it is marked to be left alone. */
function kept(declared: KubeObject): readonly [KubeObject, Change] {
  const lacks = declared.roleRef === undefined ? missingRules : missingSubjects;
  const change = (there: KubeObject) => {
    const fields = there.metadata.annotations?.[autoupdate] === 'true' ? lacks(there, declared) : undefined;
    return fields && { ...there, ...fields };
  };
  return [declared, change];
}

/** What an object lacks of what was declared, as the fields it must get; undefined when it lacks nothing. */
type Lacks = (there: KubeObject, declared: KubeObject) => Record<string, unknown> | undefined;

const missingRules: Lacks = (there, declared) => {
  const has: readonly PolicyRule[] = there.rules ?? [];
  const lacking = declared.rules.filter((rule: PolicyRule) => missingRights(has, [rule]).length > 0);
  return lacking.length === 0 ? undefined : { rules: [...has, ...lacking] };
};

const missingSubjects: Lacks = (there, declared) => {
  const key = ({ kind, name, namespace = '' }: { kind: string; name: string; namespace?: string }) =>
    `${kind}/${namespace}/${name}`;
  const has = new Set((there.subjects ?? []).map(key));
  const lacking = declared.subjects.filter((subject: { kind: string; name: string }) => !has.has(key(subject)));
  return lacking.length === 0 ? undefined : { subjects: [...(there.subjects ?? []), ...lacking] };
};
