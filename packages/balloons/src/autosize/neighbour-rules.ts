import {
  type KubeObject,
  type LabelSelector,
  type Labels,
  matchesLabels,
  matchesSelector,
  requirementsOf,
} from '@slipway/kube';
import type { NodeView } from '../nodes/node-view.js';
import type { Neighbour, PodAffinityTerm } from '../pods/neighbour.js';
import type { Neighbourhood } from './neighbourhood.js';
import { selectsNode, toleratesAll } from './node-rules.js';

/** Whether other pods allow a pod on a node: pod affinity, anti-affinity and topology spread. */
export function neighboursAllow(pod: KubeObject, node: NodeView, all: Neighbourhood): boolean {
  return isNotRepelled(pod, node, all) && isAttracted(pod, node, all) && staysSpread(pod, node, all);
}

/** Pods whose node is in the same topology domain as `node`; none where the node has no such label. */
function inDomain(key: string, node: NodeView, all: Neighbourhood): readonly Neighbour[] {
  const domain = node.labels[key];
  if (domain === undefined) return [];
  return all.nodes.filter(({ labels }) => labels[key] === domain).flatMap(({ name }) => all.on(name));
}

/** Anti-affinity in both directions: of the pod, and of pods that match it. */
function isNotRepelled(pod: KubeObject, node: NodeView, all: Neighbourhood): boolean {
  const terms: readonly PodAffinityTerm[] =
    pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const { namespace = '', labels = {} } = pod.metadata;
  const isNear = terms.some((term) =>
    inDomain(term.topologyKey, node, all).some((each) => mayMean(term, namespace, each)),
  );
  if (isNear) return false;
  return all.repelling.every(({ repels, namespace: own, node: at }) =>
    repels.every((term) => {
      const domain = all.node(at)?.labels[term.topologyKey];
      const isSameDomain = domain !== undefined && node.labels[term.topologyKey] === domain;
      return !isSameDomain || !mayMean(term, own, { namespace, labels });
    }),
  );
}

/** Affinity; the first pod of a group with affinity to itself may start anywhere. */
function isAttracted(pod: KubeObject, node: NodeView, all: Neighbourhood): boolean {
  const terms: readonly PodAffinityTerm[] =
    pod.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (terms.length === 0) return true;
  if (terms.some(({ topologyKey }) => node.labels[topologyKey] === undefined)) return false;
  const { namespace = '', labels = {} } = pod.metadata;
  const means = (each: Pick<Neighbour, 'namespace' | 'labels'>) =>
    terms.every((term) => surelyMeans(term, namespace, each));
  if (terms.every(({ topologyKey }) => inDomain(topologyKey, node, all).some(means))) return true;
  return (
    !all.pods.some((each) => terms.every((term) => mayMean(term, namespace, each))) && means({ namespace, labels })
  );
}

type Described = Pick<Neighbour, 'namespace' | 'labels'>;

/** A namespace selector may match any namespace, since the labels of namespaces are not known here. */
function mayMean(term: PodAffinityTerm, own: string, pod: Described): boolean {
  return term.namespaceSelector === undefined ? surelyMeans(term, own, pod) : hasLabels(term, pod);
}

function surelyMeans(term: PodAffinityTerm, own: string, pod: Described): boolean {
  const { namespaces = [], namespaceSelector } = term;
  const isEvery = namespaceSelector !== undefined && requirementsOf(namespaceSelector).length === 0;
  const named = namespaces.length > 0 || namespaceSelector !== undefined ? namespaces : [own];
  return (isEvery || named.includes(pod.namespace)) && hasLabels(term, pod);
}

function hasLabels({ labelSelector }: PodAffinityTerm, { labels }: Described): boolean {
  return labelSelector !== undefined && matchesSelector(labelSelector, labels);
}

/** `TopologySpreadConstraint` of core/v1. */
interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains?: number;
  readonly whenUnsatisfiable: string;
  readonly labelSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
}

function staysSpread(pod: KubeObject, node: NodeView, all: Neighbourhood): boolean {
  const constraints: readonly SpreadConstraint[] = pod.spec?.topologySpreadConstraints ?? [];
  const hard = constraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
  return hard.every((constraint) => staysWithin(constraint, hard, pod, node, all));
}

function staysWithin(
  constraint: SpreadConstraint,
  hard: readonly SpreadConstraint[],
  pod: KubeObject,
  node: NodeView,
  { nodes, pods }: Neighbourhood,
): boolean {
  const { topologyKey, maxSkew, minDomains = 1 } = constraint;
  const here = node.labels[topologyKey];
  if (here === undefined) return false;
  const counted = nodes.filter(
    (each) =>
      hard.every((other) => each.labels[other.topologyKey] !== undefined) &&
      (constraint.nodeAffinityPolicy === 'Ignore' || selectsNode(pod, each)) &&
      (constraint.nodeTaintsPolicy !== 'Honor' || toleratesAll(pod, each)),
  );
  const domainOf = new Map(counted.map(({ name, labels }) => [name, labels[topologyKey] ?? '']));
  const counts = new Map([...domainOf.values()].map((domain) => [domain, 0]));
  for (const each of pods) {
    const domain = domainOf.get(each.node);
    const isCounted = !each.isLeaving && each.namespace === (pod.metadata.namespace ?? '');
    if (domain === undefined || !isCounted || !isSpread(constraint, pod, each.labels)) continue;
    counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  const fewest = counts.size < minDomains ? 0 : Math.min(...counts.values());
  const own = isSpread(constraint, pod, pod.metadata.labels) ? 1 : 0;
  return (counts.get(here) ?? 0) + own - fewest <= maxSkew;
}

function isSpread({ labelSelector, matchLabelKeys = [] }: SpreadConstraint, pod: KubeObject, labels: Labels): boolean {
  if (!labelSelector || !matchesLabels(requirementsOf(labelSelector), labels)) return false;
  const own = pod.metadata.labels ?? {};
  return matchLabelKeys.every((key) => own[key] === undefined || labels?.[key] === own[key]);
}
