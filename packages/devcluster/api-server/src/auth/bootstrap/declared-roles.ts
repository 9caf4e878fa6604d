import { readFileSync } from 'node:fs';
import type { PolicyRule } from '@slipway/api-machinery/identity/access';
import type { KubeObject } from '@slipway/kube';

export const rbacGroup = 'rbac.authorization.k8s.io';
/** Annotation of roles and bindings that get back what they lack at each start. */
export const autoupdate = 'rbac.authorization.kubernetes.io/autoupdate';

/**
 * The roles and bindings that every cluster of a version has: cluster roles first, then who has them, then the same in single
 * namespaces. The API server of that version makes the same objects.
 * @param minor 37 of 1.37
 */
export function declaredRoles(minor: number): readonly KubeObject[] {
  return blocks().flatMap(({ kind, name, from, to, lines }) =>
    from <= minor && minor <= to ? [objectOf(kind, name, lines)] : [],
  );
}

/**
 * The rules of `system:node`, for every node; access to single objects is looked at more closely.
 * @param minor 37 of 1.37
 */
export function nodeRules(minor: number): readonly PolicyRule[] {
  return declaredRoles(minor).find(({ metadata }) => metadata.name === 'system:node')?.rules ?? [];
}

interface Block {
  readonly kind: string;
  /** `namespace/name` in a namespace. */
  readonly name: string;
  /** Minor versions that have it so. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

let shipped: readonly Block[] | undefined;

/** Of `roles.json`, which `tools/kubernetes-roles.mjs` writes. A start asks three times. */
function blocks(): readonly Block[] {
  shipped ??= readBlocks();
  return shipped;
}

function readBlocks(): readonly Block[] {
  const entries: Record<string, string[]> = JSON.parse(readFileSync(new URL('./roles.json', import.meta.url), 'utf8'));
  return Object.entries(entries).map(([first, lines]) => {
    const [kind = '', name = '', when = '-'] = first.split(' ');
    const [from, to] = when.split('-').map((version) => version.split('.')[1]);
    return { kind, name, from: Number(from ?? 0), to: Number(to ?? Number.POSITIVE_INFINITY), lines };
  });
}

function objectOf(kind: string, fullName: string, lines: readonly string[]): KubeObject {
  const [name = '', namespace] = fullName.split('/').reverse();
  const labels: Record<string, string> = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
  const aggregates: object[] = [];
  const subjects: object[] = [];
  const rules: PolicyRule[] = [];
  let role: string | undefined;
  for (const line of lines) {
    if (line.includes(' | ')) rules.push(ruleOf(line));
    else {
      const [word = '', value = ''] = line.split(' ');
      if (word === 'label') labels[value] = 'true';
      else if (word === 'aggregates') aggregates.push({ matchLabels: { [value]: 'true' } });
      else if (word === 'role') role = value;
      else subjects.push(subjectOf(word, value));
    }
  }
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    labels,
    annotations: { [autoupdate]: 'true' },
  };
  const object = { apiVersion: `${rbacGroup}/v1`, kind, metadata };
  if (role !== undefined) {
    return { ...object, subjects, roleRef: { apiGroup: rbacGroup, kind: kind.replace('Binding', ''), name: role } };
  }
  const aggregationRule = aggregates.length === 0 ? {} : { aggregationRule: { clusterRoleSelectors: aggregates } };
  return { ...object, rules, ...aggregationRule };
}

/** `get list | core | pods services | names`, or `get | /healthz` of paths. `core` is the group without a name. */
function ruleOf(line: string): PolicyRule {
  const [verbs = [], groupsOrPaths = [], resources, resourceNames] = line.split(' | ').map((part) => part.split(' '));
  if (resources === undefined) return { verbs, nonResourceURLs: groupsOrPaths };
  const apiGroups = groupsOrPaths.map((group) => (group === 'core' ? '' : group));
  return { verbs, apiGroups, resources, ...(resourceNames && { resourceNames }) };
}

function subjectOf(kind: string, fullName: string): object {
  if (kind !== 'ServiceAccount') return { kind, apiGroup: rbacGroup, name: fullName };
  const [namespace, name] = fullName.split('/');
  return { kind, name, namespace };
}
