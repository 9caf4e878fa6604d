import type { PolicyRule } from '@slipway/api-machinery/identity/access';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { Controller, matchesSelector, type Reconciler, refOf, retryLostRaces } from '@slipway/kube';
import { type ClusterRole, clusterRoles } from '@slipway/kube-objects/kinds/api/roles';
import type { WorkloadDeps } from '../workloads/workload-deps.js';

/** Keeps the rules of roles that are made of others: `admin`, `edit`, `view`, and whatever users declare so. */
export function clusterRoleAggregationController(deps: WorkloadDeps): Controller {
  const roles = deps.informers.informer(clusterRoles);
  return new Controller({
    ...deps,
    name: 'clusterrole-aggregation-controller',
    for: clusterRoles,
    // Which roles a change is part of depends on the state before it, too: all that are made of others look again.
    watches: [{ of: clusterRoles, map: () => roles.lister.list().filter(isAggregated).map(refOf) }],
    reconcile: retryLostRaces(aggregationReconciler(deps)),
  });
}

/** Gives one aggregated role the rules of all roles that it selects, and no others. */
function aggregationReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const roles = informers.informer(clusterRoles);
  return async (ref, { signal }) => {
    const role = roles.lister.get(ref);
    if (!role || !isAggregated(role) || role.metadata.deletionTimestamp) return;
    const rules = aggregatedRules(role, roles.lister.list());
    if (equalJson(rules, role.rules ?? [])) return;
    await kube.resource(clusterRoles).replace({ ...role, rules }, { signal });
  };
}

/** The rules of those of `all` that a role selects, by their names in order, each rule once. */
export function aggregatedRules({ metadata, aggregationRule }: ClusterRole, all: readonly ClusterRole[]): PolicyRule[] {
  const selectors = aggregationRule?.clusterRoleSelectors ?? [];
  const rules: PolicyRule[] = [];
  for (const selector of selectors) {
    const selected = all.filter((other) => matchesSelector(selector, other.metadata.labels));
    for (const other of selected.sort(byName)) {
      if (other.metadata.name === metadata.name) continue;
      for (const rule of other.rules ?? []) if (!rules.some((one) => equalJson(one, rule))) rules.push(rule);
    }
  }
  return rules;
}

function isAggregated({ aggregationRule }: ClusterRole): boolean {
  return aggregationRule !== undefined;
}

function byName(a: ClusterRole, b: ClusterRole): number {
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
