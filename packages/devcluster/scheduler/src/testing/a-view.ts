import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { Pod, PodSpec } from '@slipway/kube-objects/kinds/api/pods';
import { type VersionProfile, versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { demandOf } from '../demand/demand.js';
import { allFilters } from '../filters/all-filters.js';
import { describeFindings } from '../placement/describe-findings.js';
import { type Choice, placePod } from '../placement/place-pod.js';
import { planPreemption } from '../preemption/plan-preemption.js';
import { allScores } from '../scores/all-scores.js';
import type { ClusterView } from '../view/cluster-view.js';
import { nodeState } from '../view/node-state.js';
import { viewOf } from '../view/view-of.js';

/** A cluster of these nodes with these pods, each on the node that it names. */
export function aView(nodes: readonly Node[], pods: readonly Pod[] = [], more: Partial<ClusterView> = {}): ClusterView {
  const on = ({ metadata }: Node) => pods.filter(({ spec }) => spec.nodeName === metadata.name).map(demandOf);
  return { ...viewOf(nodes.map((node) => nodeState(node, on(node)))), ...more };
}

/** A pod `p` without a node that asks for this. */
export function asking(requests: Record<string, string>, spec: Partial<PodSpec> = {}): Pod {
  const containers = [{ name: 'main', image: 'image', resources: { requests } }];
  return aPod('p', { spec: { containers, ...spec }, status: {} });
}

/** A pod `p` with a volume for each of these claims. */
export function claiming(...names: string[]): Pod {
  const volumes = names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  return asking({}, { volumes });
}

/** The choice of a scheduler whose dice always show the least. */
export function firstOfTheBest(profile: VersionProfile): Choice {
  return { scores: allScores(profile), random: () => 0, firstNode: 0 };
}

/** The name of the node that the pod gets, or what it is told. */
export function outcome(pod: Pod, view: ClusterView, profile: VersionProfile = versionProfiles['v1.34']): string {
  const placement = placePod(demandOf(pod), view, allFilters(profile), firstOfTheBest(profile));
  return placement.kind === 'node' ? placement.nodeName : describeFindings(placement.findings);
}

/** Returns the pods that a pod preempts, `node: pods`, or why it preempts none. */
export function preemption(pod: Pod, view: ClusterView): string {
  const demand = demandOf(pod);
  const profile = versionProfiles['v1.34'];
  const placement = placePod(demand, view, allFilters(profile), firstOfTheBest(profile));
  if (placement.kind === 'node') return `fits ${placement.nodeName}`;
  const plan = planPreemption(demand, placement.findings, view);
  if (plan.kind !== 'preempt') return plan.message;
  return `${plan.nodeName}: ${plan.victims.map((victim) => victim.pod.metadata.name).join(' ')}`;
}
