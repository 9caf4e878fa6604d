import type { Demand } from '../demand/demand.js';
import type { Check, Filter, Objection } from '../filters/filter.js';
import type { ClusterView } from '../view/cluster-view.js';
import { type NodeState, withoutPod, withPod } from '../view/node-state.js';

/** The judgement of a filter, under its name. */
export interface NamedCheck extends Check {
  readonly name: string;
}

/** What a filter has against a node. */
export interface NodeObjection extends Objection {
  readonly by: string;
  readonly state: NodeState;
}

/** A node with the judgements that fit what is on it: both change when a pod is imagined there or away. */
export interface JudgedNode {
  readonly state: NodeState;
  readonly checks: readonly NamedCheck[];
}

/** The judgements that the filters have to make about one pod. */
export function checksFor(demand: Demand, cluster: ClusterView, filters: readonly Filter[]): readonly NamedCheck[] {
  return filters.flatMap(({ name, prepare }) => {
    const check = prepare(demand, cluster);
    return check ? [{ name, on: check.on, ...(check.after && { after: check.after }) }] : [];
  });
}

/** Returns the objection of the first filter that has one against the node. */
export function firstObjection({ state, checks }: JudgedNode): NodeObjection | undefined {
  for (const check of checks) {
    const objection = check.on(state);
    if (objection) return { ...objection, by: check.name, state };
  }
  return undefined;
}

/**
 * The same, with pods in mind for which room is being made there. They may never come: what they
 * would bring with them must not be what makes the node fit.
 */
export function objectionTo(demand: Demand, node: JudgedNode, cluster: ClusterView): NodeObjection | undefined {
  const expected = (cluster.nominated.get(node.state.name) ?? []).filter(
    ({ uid, priority }) => uid !== demand.uid && priority >= demand.priority,
  );
  if (expected.length === 0) return firstObjection(node);
  return firstObjection(expected.reduce(imaginedWith, node)) ?? firstObjection(node);
}

/** The node as if a pod were there. */
export function imaginedWith({ state, checks }: JudgedNode, demand: Demand): JudgedNode {
  return { state: withPod(state, demand), checks: after(checks, demand, state, 1) };
}

/** The node as if one of its pods were not. */
export function imaginedWithout({ state, checks }: JudgedNode, demand: Demand): JudgedNode {
  return { state: withoutPod(state, demand), checks: after(checks, demand, state, -1) };
}

function after(checks: readonly NamedCheck[], demand: Demand, { node }: NodeState, by: 1 | -1): readonly NamedCheck[] {
  return checks.map((check) => (check.after ? { ...check.after(demand, node, by), name: check.name } : check));
}
