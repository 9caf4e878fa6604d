import { effectiveRequests, type KubeObject } from '@slipway/kube';
import { mayRun } from '../autosize/may-run.js';
import { Neighbourhood } from '../autosize/neighbourhood.js';
import { toleratesAll } from '../autosize/node-rules.js';
import type { NodeView } from '../nodes/node-view.js';
import { amountsOf, sum } from '../planner/amounts.js';
import { neighbourOf } from '../pods/neighbour.js';
import { nodeOf } from '../world/balloon-world.js';
import { shortOf } from './node-resources-fit.js';

/** Nodes and the pods on them, those included that are nominated to one. */
export interface Placement {
  readonly nodes: readonly NodeView[];
  readonly pods: readonly KubeObject[];
}

export interface Preemption {
  readonly node: string;
  readonly victims: readonly KubeObject[];
}

/** Whether a pod fits on a node, by the filters of the scheduler. Nominated pods count where they are not less important. */
export function fitsOn(pod: KubeObject, view: NodeView, { nodes, pods }: Placement): boolean {
  const only = nodeOf(pod);
  if (only !== '' && only !== view.name) return false;
  if (!toleratesAll(pod, view)) return false;
  const counted = pods.filter((each) => {
    if (each.metadata.uid === pod.metadata.uid) return false;
    return each.spec?.nodeName || priorityOf(each) >= priorityOf(pod);
  });
  const here = counted.filter((each) => placeOf(each) === view.name);
  const taken = sum(here.map((each) => amountsOf(effectiveRequests(each))));
  if (shortOf(amountsOf(effectiveRequests(pod)), taken, view.allocatable)) return false;
  const neighbours = counted.filter((each) => placeOf(each) !== '').map((each) => neighbourOf(each, placeOf(each)));
  return mayRun({ pod, volumes: [] }, view, new Neighbourhood(nodes, neighbours));
}

/**
 * Returns the node on which a pod that fits on none takes the place of others, as the plugin DefaultPreemption does: all
 * less important pods go, and come back from the most important on while it still fits. The node counts whose most
 * important victim is the least important, then the sum of priorities, then the number of victims.
 */
export function choosePreemption(pod: KubeObject, placement: Placement): Preemption | undefined {
  if (pod.spec?.preemptionPolicy === 'Never') return undefined;
  const candidates = placement.nodes.flatMap((view) => preemptionOn(pod, view, placement) ?? []);
  return candidates.sort((a, b) => compareCosts(costOf(a), costOf(b)))[0];
}

function preemptionOn(pod: KubeObject, view: NodeView, { nodes, pods }: Placement): Preemption | undefined {
  const isLess = (each: KubeObject) => each.spec?.nodeName === view.name && priorityOf(each) < priorityOf(pod);
  const less = pods.filter(isLess).sort((a, b) => priorityOf(b) - priorityOf(a));
  let kept = pods.filter((each) => !isLess(each));
  if (less.length === 0 || !fitsOn(pod, view, { nodes, pods: kept })) return undefined;
  const victims: KubeObject[] = [];
  for (const each of less) {
    if (fitsOn(pod, view, { nodes, pods: [...kept, each] })) kept = [...kept, each];
    else victims.push(each);
  }
  return { node: view.name, victims };
}

/** The priority of the most important victim, the sum of all above the smallest possible one, and their number. */
export function costOf({ victims }: Preemption): readonly number[] {
  const priorities = victims.map(priorityOf);
  return [Math.max(...priorities), priorities.reduce((all, each) => all + each + 2 ** 31, 0), victims.length];
}

export function compareCosts(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((each, index) => each !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

export function priorityOf({ spec }: KubeObject): number {
  return spec?.priority ?? 0;
}

function placeOf({ spec, status }: KubeObject): string {
  return spec?.nodeName ?? status?.nominatedNodeName ?? '';
}
