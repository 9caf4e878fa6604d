import type { PolicyRule } from '@slipway/api-machinery/identity/access';

/** A ClusterRole as it is declared here. */
export interface DeclaredRole {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** Its rules are those of all roles with this label, kept up by a controller. */
  readonly aggregates?: string;
  /** Labels by which it becomes part of others. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Who a declared role is given to. */
export interface DeclaredBinding {
  readonly role: string;
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  /** Service accounts of kube-system. */
  readonly accounts?: readonly string[];
}

/** Verbs that roles name together. */
export const read = 'get list watch';
export const write = 'create delete deletecollection patch update';
export const readWrite = `${read} ${write}`;

/**
 * A rule in one line: `allow(read, 'core', 'pods services')`. Lists are separated
 * by blanks; `core` is the group without a name.
 */
export function allow(verbs: string, groups: string, resources: string, names?: string): PolicyRule {
  return {
    verbs: verbs.split(' '),
    apiGroups: groups.split(' ').map((group) => (group === 'core' ? '' : group)),
    resources: resources.split(' '),
    ...(names === undefined ? {} : { resourceNames: names.split(' ') }),
  };
}

/** The same for paths. */
export function allowPaths(verbs: string, paths: string): PolicyRule {
  return { verbs: verbs.split(' '), nonResourceURLs: paths.split(' ') };
}

/** Everybody who does something says so in events. */
export const events = allow('create patch update', 'core events.k8s.io', 'events');
