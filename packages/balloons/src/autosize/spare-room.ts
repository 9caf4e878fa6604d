import { effectiveRequests } from '@slipway/kube';
import { type Amounts, amountsOf, nothing, perResource, plus, within } from '../planner/amounts.js';
import type { Replica } from '../pods/replica.js';
import { mayRun } from './may-run.js';
import type { Neighbourhood } from './neighbourhood.js';
import type { GrowingNode, NodeDemand } from './pending-demand.js';

/**
 * Chooses the nodes that keep room for one more pod of each workload whose pods may preempt others, and how much: a
 * scheduler that finds no room preempts at once, before any node can grow. There is room for one such pod at a time.
 */
export function spareRoom(
  replicas: Iterable<Replica>,
  nodes: readonly GrowingNode[],
  demand: ReadonlyMap<string, NodeDemand>,
  cluster: Neighbourhood,
): ReadonlyMap<string, Amounts> {
  const spare = new Map<string, Amounts>();
  for (const { pod } of largestFirst(replicas)) {
    // Pods below 0 are there to be preempted.
    const victims = cluster.pods.some(({ priority }) => priority >= 0 && priority < (pod.spec?.priority ?? 0));
    if (!victims) continue;
    const amounts = amountsOf(effectiveRequests(pod));
    const [best] = nodes
      .map((growing) => roomOn(growing, amounts, demand, spare))
      .filter(({ growing, total }) => within(total, growing.most))
      .filter(({ growing }) => mayRun({ pod, volumes: [] }, growing.node, cluster))
      .sort((a, b) => Number(b.fits) - Number(a.fits) || Number(a.growth - b.growth));
    if (!best) continue;
    const { name } = best.growing.node;
    spare.set(name, larger(spare.get(name) ?? nothing, amounts));
  }
  return spare;
}

/** What a node has to have for another pod, and how far that is from what it has or is given anyway. */
function roomOn(
  growing: GrowingNode,
  amounts: Amounts,
  demand: ReadonlyMap<string, NodeDemand>,
  spare: ReadonlyMap<string, Amounts>,
) {
  const { name } = growing.node;
  const base = plus(growing.requested, demand.get(name)?.amounts ?? nothing);
  const total = plus(base, amounts);
  const given = larger(growing.withHeadroom(base), plus(base, spare.get(name) ?? nothing));
  const growth = larger(total, given).cpu - given.cpu;
  // A node that has the room already keeps it, so that the choice stays the same.
  return { growing, total, fits: within(total, growing.size), growth };
}

/** Of the pods of one controller the largest counts, for some may have been resized. */
function largestFirst(replicas: Iterable<Replica>): readonly Replica[] {
  const byOwner = new Map<string, Replica>();
  const cpuOf = ({ pod }: Replica) => amountsOf(effectiveRequests(pod)).cpu;
  for (const replica of replicas) {
    const other = byOwner.get(replica.owner);
    if (!other || cpuOf(other) < cpuOf(replica)) byOwner.set(replica.owner, replica);
  }
  return [...byOwner.values()].sort((a, b) => Number(cpuOf(b) - cpuOf(a)));
}

function larger(a: Amounts, b: Amounts): Amounts {
  return perResource((resource) => (a[resource] > b[resource] ? a[resource] : b[resource]));
}
