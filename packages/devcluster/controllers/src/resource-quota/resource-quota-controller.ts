import {
  Controller,
  type KubeObject,
  type Reconciler,
  type ResourceRef,
  type Runnable,
  refOf,
  retryLostRaces,
} from '@slipway/kube';
import { resourceQuotas } from '@slipway/kube-objects/kinds/api/resource-quotas';
import { resourcesOf } from '@slipway/kube-objects/rules/usage';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { type Counted, quotaStatus, sameAmounts } from './count-usage.js';
import { CountedWatch } from './watch-counted.js';

/** A quota is not counted more often than this, however much happens in its namespace. */
const everyMs = 1_000;

/**
 * Counts what is used of each ResourceQuota. Admission adds to it with every write; only
 * counting takes away again.
 */
export function resourceQuotaController(deps: WorkloadDeps): (Controller | Runnable)[] {
  const quotas = deps.informers.informer(resourceQuotas);
  const watch = new CountedWatch(deps, (namespace) => {
    for (const quota of quotas.lister.list({ namespace })) controller.enqueue(refOf(quota));
  });
  const controller = new Controller({
    ...deps,
    name: 'resourcequota-controller',
    for: resourceQuotas,
    reconcile: retryLostRaces(quotaReconciler(deps, watch)),
  });
  return [controller, watch];
}

function quotaReconciler({ kube }: Omit<WorkloadDeps, 'log'>, watch: CountedWatch): Reconciler {
  const client = kube.resource(resourceQuotas);
  const countedAtMs = new Map<string, number>();

  return async ({ namespace = '', name }, { signal, now }) => {
    const key = `${namespace}/${name}`;
    // The quota is read before what it counts. Whoever uses more meanwhile changes it, and this write comes too late.
    const [quota] = (await client.list({ namespace, fieldSelector: `metadata.name=${name}`, signal })).items;
    if (!quota) {
      countedAtMs.delete(key);
      return;
    }
    const isNew = !sameAmounts(quota.spec.hard, quota.status?.hard);
    const waitMs = (countedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) + everyMs - now();
    if (!isNew && waitMs > 0) return { requeueAfterMs: waitMs };
    countedAtMs.set(key, now());

    const counted: Counted[] = [];
    for (const resource of await servedOf(Object.keys(quota.spec.hard ?? {}), signal)) {
      watch.follow(resource);
      counted.push({ resource, objects: await objectsOf(resource, namespace, signal) });
    }
    const status = quotaStatus(quota, counted, now());
    if (!isNew && sameAmounts(status.used, quota.status?.used)) return;
    await client.replaceStatus({ ...quota, status }, { signal });
  };

  async function servedOf(names: readonly string[], signal: AbortSignal): Promise<readonly ResourceRef[]> {
    const wanted = new Set(names.flatMap(resourcesOf));
    if (wanted.size === 0) return [];
    const { resources } = await kube.discover(signal);
    const found = new Map<string, ResourceRef>();
    for (const resource of resources) {
      const id = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
      const isCountable = resource.namespaced && resource.verbs.includes('list') && resource.verbs.includes('watch');
      if (wanted.has(id) && isCountable && !found.has(id)) found.set(id, resource);
    }
    return [...found.values()];
  }

  async function objectsOf(resource: ResourceRef, namespace: string, signal: AbortSignal): Promise<KubeObject[]> {
    const objects: KubeObject[] = [];
    for await (const page of kube.resource(resource).pages({ namespace, signal })) objects.push(...page.items);
    return objects;
  }
}
