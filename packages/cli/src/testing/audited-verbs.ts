import { readFileSync } from 'node:fs';
import type { KubeObject, PolicyRule } from '@slipway/kube';

export interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string; readonly groups: readonly string[] };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code: number; readonly message?: string };
}

/** Reads the audit log of an API server that was stopped: one event per line. */
export function readAuditLog(path: string): readonly AuditEvent[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line): AuditEvent => JSON.parse(line));
}

/** Returns what a role grants its holder, as in `patch features/status.features.slipway.dev`. */
export function verbsIn({ rules = [] }: KubeObject): readonly string[] {
  return (rules as readonly PolicyRule[]).flatMap(({ apiGroups = [], resources = [], nonResourceURLs = [], verbs }) => [
    ...nonResourceURLs.flatMap((path) => verbs.map((verb) => `${verb} ${path}`)),
    ...apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => named(verb, group, resource)))),
  ]);
}

/** Returns a role that grants everything except one verb on one resource. */
export function withoutVerb(role: KubeObject, verb: string): KubeObject {
  const rules = (role.rules as readonly PolicyRule[]).flatMap((rule): readonly PolicyRule[] => {
    const { apiGroups = [], resources = [], nonResourceURLs = [], verbs } = rule;
    if (resources.length === 0) {
      const paths = nonResourceURLs.filter((path) => !verbs.some((one) => `${one} ${path}` === verb));
      return paths.length === 0 ? [] : [{ ...rule, nonResourceURLs: paths }];
    }
    return apiGroups.flatMap((group) =>
      resources.map((resource) => ({
        ...rule,
        apiGroups: [group],
        resources: [resource],
        verbs: verbs.filter((one) => named(one, group, resource) !== verb),
      })),
    );
  });
  return { ...role, rules: rules.filter(({ verbs }) => verbs.length > 0) };
}

function named(verb: string, group: string, resource: string): string {
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}`;
}
