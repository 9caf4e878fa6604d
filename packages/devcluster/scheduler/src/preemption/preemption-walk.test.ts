import type { PodDisruptionBudget } from '@slipway/kube-objects/kinds/api/disruption-budgets';
import { versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { aNode, aPod } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Demand, demandOf } from '../demand/demand.js';
import { allFilters } from '../filters/all-filters.js';
import { placePod } from '../placement/place-pod.js';
import { firstOfTheBest } from '../testing/a-view.js';
import { ClusterState } from '../view/cluster-state.js';
import type { ClusterView } from '../view/cluster-view.js';
import type { NodeState } from '../view/node-state.js';
import { SpreadCounts } from '../view/spread-counts.js';
import { noDevices, noVolumes } from '../view/view-of.js';
import { planPreemption } from './plan-preemption.js';

const filters = allFilters(versionProfiles.native);
const cpuOf = (demand: Demand) => demand.amounts.get('cpu') ?? 0;
const isGuarded = ({ pod }: Demand) => pod.metadata.labels?.app === 'guarded';

const arrival = fc.record({
  cpu: fc.integer({ min: 1, max: 4 }),
  priority: fc.integer({ min: 0, max: 3 }),
  app: fc.constantFrom('guarded', 'free'),
  leaves: fc.boolean(),
});

test('any story: nodes are never overfull, victims are lesser, and budgets are broken only where nothing else helps', () => {
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 30 }), fc.integer({ min: 0, max: 2 }), (arrivals, allowed) => {
      const state = new ClusterState();
      for (const name of ['n1', 'n2'])
        state.putNode(aNode(name, { allocatable: { cpu: '4', memory: '8Gi', pods: '9' } }));
      const placed: Demand[] = [];
      for (const [index, { cpu, priority, app, leaves }] of arrivals.entries()) {
        const demand = demandOf(
          aPod(`p${index}`, {
            metadata: { labels: { app } },
            spec: { priority, containers: [{ name: 'c', resources: { requests: { cpu: String(cpu) } } }] },
          }),
        );
        const nodeName = settle(demand, state, allowed);
        if (nodeName) {
          state.place(nodeName, demand);
          placed.push(demand);
        }
        if (leaves) state.remove(placed.shift()?.uid ?? '');
        for (const node of state.nodes()) expect(node.used.get('cpu') ?? 0).toBeLessThanOrEqual(4000);
      }
    }),
    { numRuns: 300 },
  );
});

/** Finds a node for a pod, by preemption if need be, and checks whom that costs. */
function settle(demand: Demand, state: ClusterState, allowed: number): string | undefined {
  const view: ClusterView = {
    nodes: state.nodes(),
    sociable: state.sociable(),
    nominated: state.nominated(),
    namespaceLabels: () => undefined,
    budgets: [budget(allowed)],
    volumes: noVolumes,
    devices: noDevices,
    defaultSpread: () => [],
    spreadCounts: new SpreadCounts(),
  };
  const placement = placePod(demand, view, filters, firstOfTheBest(versionProfiles['v1.34']));
  if (placement.kind === 'node') return placement.nodeName;
  const plan = planPreemption(demand, placement.findings, view);
  const best = Math.min(...view.nodes.map((node) => fewestViolations(demand, node, allowed)));
  if (plan.kind !== 'preempt') {
    expect(best).toBe(Number.POSITIVE_INFINITY);
    return undefined;
  }
  expect(plan.victims.every(({ priority }) => priority < demand.priority)).toBe(true);
  expect(violations(plan.victims, allowed) > 0).toBe(best > 0);
  for (const { uid } of plan.victims) state.remove(uid);
  return plan.nodeName;
}

/** Tries every set of lesser pods of a node. */
function fewestViolations(demand: Demand, { pods, allocatable }: NodeState, allowed: number): number {
  const lesser = pods.filter(({ priority }) => priority < demand.priority);
  let fewest = Number.POSITIVE_INFINITY;
  for (let set = 0; set < 2 ** lesser.length; set++) {
    const victims = lesser.filter((_, index) => set & (1 << index));
    const stays = pods.filter((pod) => !victims.includes(pod)).reduce((sum, pod) => sum + cpuOf(pod), 0);
    if (stays + cpuOf(demand) <= (allocatable.get('cpu') ?? 0)) fewest = Math.min(fewest, violations(victims, allowed));
  }
  return fewest;
}

function violations(victims: readonly Demand[], allowed: number): number {
  return Math.max(0, victims.filter(isGuarded).length - allowed);
}

function budget(disruptionsAllowed: number): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'guard', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'guarded' } } },
    status: { disruptionsAllowed, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  };
}
