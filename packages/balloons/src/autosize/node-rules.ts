import type { KubeObject } from '@slipway/kube';
import type { NodeView, Taint } from '../nodes/node-view.js';

/** `NodeSelectorTerm` of core/v1. */
export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

type Named = Pick<NodeView, 'name' | 'labels'>;

/** Whether `nodeSelector` and the required node affinity of a pod select this node, as the plugin NodeAffinity does. */
export function selectsNode({ spec }: KubeObject, node: Named): boolean {
  const selector: Readonly<Record<string, string>> = spec?.nodeSelector ?? {};
  if (!Object.entries(selector).every(([key, value]) => node.labels[key] === value)) return false;
  const required: { readonly nodeSelectorTerms?: readonly NodeSelectorTerm[] } | undefined =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesTerms(required.nodeSelectorTerms ?? [], node);
}

/** Whether one of the terms matches; a term without requirements matches nothing. */
export function matchesTerms(terms: readonly NodeSelectorTerm[], { name, labels }: Named): boolean {
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length + matchFields.length === 0) return false;
    return (
      matchExpressions.every((requirement) => holds(requirement, labels)) &&
      matchFields.every((requirement) => holds(requirement, { 'metadata.name': name }))
    );
  });
}

function holds({ key, operator, values = [] }: NodeSelectorRequirement, labels: NodeView['labels']): boolean {
  const value = labels[key];
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  if (value === undefined) return false;
  if (operator === 'In') return values.includes(value);
  const [bound = ''] = values;
  if (!isWhole(value) || !isWhole(bound)) return false;
  return operator === 'Gt' ? BigInt(value) > BigInt(bound) : operator === 'Lt' && BigInt(value) < BigInt(bound);
}

function isWhole(text: string): boolean {
  return /^-?\d+$/.test(text);
}

const cordoned: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Whether a pod tolerates the taints of a node. Our own are ignored: they are removed by the time the node has grown. */
export function toleratesNode(pod: KubeObject, { taints, leaving }: Pick<NodeView, 'taints' | 'leaving'>): boolean {
  const those = leaving ? [...taints, cordoned] : taints;
  return those.every((taint) => isOurs(taint) || tolerates(pod, taint));
}

/** Whether a pod tolerates all taints, ours included, as `nodeTaintsPolicy: Honor` requires. */
export function toleratesAll(pod: KubeObject, { taints }: Pick<NodeView, 'taints'>): boolean {
  return taints.every((taint) => tolerates(pod, taint));
}

function tolerates({ spec }: KubeObject, taint: Taint): boolean {
  if (taint.effect !== 'NoSchedule' && taint.effect !== 'NoExecute') return true;
  const tolerations: readonly Toleration[] = spec?.tolerations ?? [];
  return tolerations.some(({ key, operator, value = '', effect }) => {
    if (effect && effect !== taint.effect) return false;
    if (key && key !== taint.key) return false;
    return operator === 'Exists' || (Boolean(key) && value === (taint.value ?? ''));
  });
}

function isOurs({ key }: Taint): boolean {
  return key.startsWith('balloons.slipway.dev/');
}
