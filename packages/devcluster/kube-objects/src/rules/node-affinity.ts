import type { Node } from '../kinds/api/nodes.js';
import type { NodeSelectorRequirement, NodeSelectorTerm, Pod } from '../kinds/api/pods.js';

/** Whether `nodeSelector` and the required node affinity of a pod allow this node. */
export function matchesNode(pod: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const selected = Object.entries(pod.spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  if (!selected) return false;
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesTerms(required.nodeSelectorTerms, node);
}

/** Sum of the weights of the preferences that this node fulfils. */
export function preference(pod: Pod, node: Node): number {
  const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred.reduce((sum, { weight, preference: term }) => sum + (matchesTerm(term, node) ? weight : 0), 0);
}

/** Whether one of these terms holds for the node. */
export function matchesTerms(terms: readonly NodeSelectorTerm[], node: Node): boolean {
  return terms.some((term) => matchesTerm(term, node));
}

/** All requirements of a term must hold; a term without any selects nothing. */
function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields = { 'metadata.name': node.metadata.name ?? '' };
  return (
    matchExpressions.every((requirement) => holds(requirement, node.metadata.labels ?? {})) &&
    matchFields.every((requirement) => holds(requirement, fields))
  );
}

function holds(
  { key, operator, values = [] }: NodeSelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isWhole(value) && isWhole(values[0]) && BigInt(value) > BigInt(values[0]);
    case 'Lt':
      return isWhole(value) && isWhole(values[0]) && BigInt(value) < BigInt(values[0]);
  }
}

function isWhole(text: string | undefined): text is string {
  return text !== undefined && /^-?\d+$/.test(text);
}
