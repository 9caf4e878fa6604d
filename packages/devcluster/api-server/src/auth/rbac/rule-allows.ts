import type { Access, PolicyRule } from '@slipway/api-machinery/identity/access';

/** Whether a rule permits what is asked for. Rules only ever permit: none takes away. */
export function ruleAllows(rule: PolicyRule, access: Access): boolean {
  if (!holds(rule.verbs, access.verb)) return false;
  if (access.kind === 'path') return (rule.nonResourceURLs ?? none).some((url) => pathMatches(url, access.path));
  const { apiGroups = none, resources = none, resourceNames = none } = rule;
  return (
    holds(apiGroups, access.group) &&
    resources.some((resource) => resourceMatches(resource, access.resource, access.subresource)) &&
    (resourceNames.length === 0 || resourceNames.includes(access.name))
  );
}

/** `pods`, `pods/log`, `*` for everything with its subresources, or a star before a subresource for that of every resource. */
function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  if (pattern === '*') return true;
  if (subresource === '') return pattern === resource;
  return pattern === `${resource}/${subresource}` || pattern === `*/${subresource}`;
}

/** A path itself, `*` for all, or `/apis/*` for whatever begins so. */
export function pathMatches(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
}

function holds(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes('*');
}

const none: readonly string[] = [];
