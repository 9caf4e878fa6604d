import {
  Controller,
  errorMessage,
  type KubeObject,
  labelSelectorToString,
  matchesSelector,
  type Reconciler,
  refOf,
  retryLostRaces,
} from '@slipway/kube';
import { type PodDisruptionBudget, podDisruptionBudgets } from '@slipway/kube-objects/kinds/api/disruption-budgets';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { deployments, replicaSets, statefulSets } from '@slipway/kube-objects/kinds/api/workloads';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { budgetStatus, expiredEvictions, failedStatus, needsScale, recheckInMs } from './budget-status.js';
import { expectedScale } from './expected-scale.js';

/** Works out how many pods of each PodDisruptionBudget may be evicted. The eviction itself asks and counts down. */
export function disruptionController(deps: WorkloadDeps): Controller {
  const budgets = deps.informers.informer(podDisruptionBudgets);
  const budgetsOf = (pod: KubeObject) =>
    budgets.lister
      .list({ namespace: pod.metadata.namespace })
      .filter((budget) => selects(budget, pod))
      .map(refOf);
  return new Controller({
    ...deps,
    name: 'disruption-controller',
    component: 'controllermanager',
    for: podDisruptionBudgets,
    watches: [
      { of: pods, map: budgetsOf },
      // Nothing follows from a workload; but it must be in the cache before replicas are counted.
      ...[replicaSets, deployments, statefulSets].map((of) => ({ of, map: () => [] })),
    ],
    reconcile: retryLostRaces(disruptionReconciler(deps)),
  });
}

/** Observes one budget with its pods and their owners, and records what it allows. */
function disruptionReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const podInformer = informers.informer(pods);
  const all = new RecordedClient({ kube, informers }, podDisruptionBudgets);
  const scaleOf = expectedScale({ kube, informers });

  return async (ref, { signal, now, events }) => {
    const budget = all.get(ref);
    if (!budget) return;
    const write = (status: PodDisruptionBudget['status']) => all.replaceStatus(budget, status, signal);
    const selected = podInformer.lister.list({ namespace: ref.namespace }).filter((pod) => selects(budget, pod));
    if (selected.length === 0) events.event(budget, 'Normal', 'NoPods', 'No matching pods found');
    let scale = 0;
    if (needsScale(budget)) {
      try {
        const expected = await scaleOf(selected, signal);
        scale = expected.total;
        if (expected.unmanaged.length > 0) events.event(budget, 'Warning', 'UnmanagedPods', unmanagedText(budget));
      } catch (error) {
        const why = errorMessage(error);
        const message = `Failed to calculate the number of expected pods: ${why}`;
        events.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', message);
        await write(failedStatus(budget, why, now()));
        throw error;
      }
    }
    const observed = { budget, pods: selected, scale, nowMs: now() };
    for (const pod of expiredEvictions(observed)) {
      const which = `${budget.metadata.namespace}/${budget.metadata.name}`;
      const message = `Pod was expected by PDB ${which} to be deleted but it wasn't`;
      events.event(pod, 'Warning', 'NotDeleted', message);
    }
    await write(budgetStatus(observed));
    const requeueAfterMs = recheckInMs(observed);
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  };
}

function selects({ spec: { selector } }: PodDisruptionBudget, pod: KubeObject | Pod): boolean {
  return selector !== undefined && selector !== null && matchesSelector(selector, pod.metadata.labels);
}

function unmanagedText({ spec: { selector = {} } }: PodDisruptionBudget): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${labelSelectorToString(selector)}) were found to be ` +
    'unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined ' +
    'behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}
