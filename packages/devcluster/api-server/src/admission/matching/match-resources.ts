import { type KubeObject, type LabelSelector, matchesSelector } from '@slipway/kube';
import type { MatchResources, Rule } from '@slipway/kube-objects/kinds/admission-matching';
import type { Attributes } from '../../attributes/admission.js';
import type { ResourceDefinition } from '../../registry/resource-definition.js';

/** What is known of the cluster around a request. */
export interface Surroundings {
  /** Other versions in which the same objects are served. */
  equivalents(resource: ResourceDefinition): readonly ResourceDefinition[];
  /** The namespace of that name, if there is one. */
  namespace(name: string): KubeObject | undefined;
}

/** What of a request rules look at before any object of it. */
export type Target = Pick<Attributes, 'operation' | 'resource' | 'subresource'>;

/** Whether any request of this kind could match, whatever its object is: what an index can be made of. */
export function mayMatch(match: MatchResources, target: Target, around: Surroundings): boolean {
  const { resourceRules = [], matchPolicy } = match;
  const versions = [target.resource, ...(matchPolicy === 'Exact' ? [] : around.equivalents(target.resource))];
  return (
    resourceRules.length === 0 ||
    resourceRules.some((rule) => versions.some((resource) => covers(rule, { ...target, resource })))
  );
}

/** The version by which a request matches; undefined when it does not. */
export function matchedVersion(
  match: MatchResources,
  request: Attributes,
  around: Surroundings,
): ResourceDefinition | undefined {
  if (!matchesNamespace(match.namespaceSelector, request, around)) return undefined;
  if (!matchesObject(match.objectSelector, request)) return undefined;
  const { resourceRules = [], excludeResourceRules = [] } = match;
  if (versionInRules(excludeResourceRules, match.matchPolicy, request, around)) return undefined;
  return resourceRules.length === 0
    ? request.resource
    : versionInRules(resourceRules, match.matchPolicy, request, around);
}

function versionInRules(
  rules: readonly Rule[],
  matchPolicy: string | undefined,
  request: Attributes,
  around: Surroundings,
): ResourceDefinition | undefined {
  const matches = (resource: ResourceDefinition) => (rule: Rule) =>
    covers(rule, { ...request, resource }) && coversName(rule, request.name);
  if (rules.some(matches(request.resource))) return request.resource;
  if (matchPolicy !== 'Equivalent' || rules.length === 0) return undefined;
  return around.equivalents(request.resource).find((resource) => rules.some(matches(resource)));
}

/** No names are every name. */
function coversName({ resourceNames = [] }: Rule, name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

function covers(rule: Rule, { operation, resource, subresource }: Target): boolean {
  return (
    coversScope(rule.scope, resource) &&
    hasOrAll(rule.operations, operation) &&
    hasOrAll(rule.apiGroups, resource.group) &&
    hasOrAll(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((path) => coversResource(path, resource.plural, subresource))
  );
}

function hasOrAll(values: readonly string[] = [], value: string): boolean {
  return values.includes('*') || values.includes(value);
}

function coversScope(scope: string | undefined, { namespaced }: ResourceDefinition): boolean {
  if (scope === 'Namespaced') return namespaced;
  return scope === 'Cluster' ? !namespaced : true;
}

/** `pods` is the object itself, `pods/status` a subresource; a `*` stands for any of its side of the slash. */
function coversResource(path: string, plural: string, subresource: string): boolean {
  const [resource = '', part = ''] = path.split(/\/(.*)/);
  return (resource === '*' || resource === plural) && (part === '*' || part === subresource);
}

function isEmpty(selector: LabelSelector | null | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** A namespace is judged by its own labels, other objects that lie in none match any selector. */
function matchesNamespace(
  selector: LabelSelector | null | undefined,
  request: Attributes,
  around: Surroundings,
): boolean {
  if (!selector || isEmpty(selector)) return true;
  const { resource, namespace, object, old } = request;
  if (resource.group === '' && resource.plural === 'namespaces') {
    return matchesSelector(selector, (object ?? old)?.metadata.labels);
  }
  return namespace === '' || matchesSelector(selector, around.namespace(namespace)?.metadata.labels);
}

/** It is enough when the object matches, or did before the write. */
function matchesObject(selector: LabelSelector | null | undefined, { object, old }: Attributes): boolean {
  if (!selector || isEmpty(selector)) return true;
  return [object, old].some((one) => one !== undefined && matchesSelector(selector, one.metadata.labels));
}

/** The namespace that a request is made in. A namespace itself has none around it. */
export function namespaceAround({ resource, namespace }: Attributes, around: Surroundings): KubeObject | undefined {
  const isNamespace = resource.group === '' && resource.plural === 'namespaces';
  return namespace === '' || isNamespace ? undefined : around.namespace(namespace);
}
