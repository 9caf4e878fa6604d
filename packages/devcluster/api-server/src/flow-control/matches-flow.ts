import type { Access, PathAccess, ResourceAccess } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import type { FlowRule, FlowSubject, PathRule, ResourceRule } from '@slipway/kube-objects/kinds/flow-objects';

/** Whether one of the rules of a FlowSchema is about what a user wants. */
export function matchesFlow(rules: readonly FlowRule[], user: User, access: Access): boolean {
  for (const { subjects, resourceRules = [], nonResourceRules = [] } of rules) {
    if (!subjects?.some((subject) => isSubject(subject, user))) continue;
    const isMeant =
      access.kind === 'resource'
        ? resourceRules.some((rule) => aboutResource(rule, access))
        : nonResourceRules.some((rule) => aboutPath(rule, access));
    if (isMeant) return true;
  }
  return false;
}

function isSubject(subject: FlowSubject, { name, groups }: User): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.user !== undefined && isOneOf(name, [subject.user.name]);
    case 'Group':
      return subject.group !== undefined && (subject.group.name === '*' || groups.includes(subject.group.name));
    case 'ServiceAccount': {
      if (!subject.serviceAccount) return false;
      const { namespace, name: account } = subject.serviceAccount;
      const start = `system:serviceaccount:${namespace}:`;
      return account === '*' ? name.startsWith(start) : name === start + account;
    }
    default:
      return false;
  }
}

function aboutResource(rule: ResourceRule, access: ResourceAccess): boolean {
  const { verb, group, resource, subresource, namespace } = access;
  if (!isOneOf(verb, rule.verbs)) return false;
  if (!isOneOf(subresource === '' ? resource : `${resource}/${subresource}`, rule.resources)) return false;
  if (!isOneOf(group, rule.apiGroups)) return false;
  return namespace === '' ? rule.clusterScope === true : isOneOf(namespace, rule.namespaces);
}

function aboutPath({ verbs, nonResourceURLs }: PathRule, { verb, path }: PathAccess): boolean {
  return isOneOf(verb, verbs) && (nonResourceURLs ?? []).some((url) => isUnder(path, url));
}

/** A path is also meant by what it lies under, with `/*` or without. */
function isUnder(path: string, url: string): boolean {
  if (url === '*' || url === path) return true;
  const folder = url.endsWith('*') ? url.slice(0, -1) : url;
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** `*` stands for all where it is alone. */
function isOneOf(value: string, names: readonly string[] | null): boolean {
  if (!names) return false;
  return (names.length === 1 && names[0] === '*') || names.includes(value);
}
