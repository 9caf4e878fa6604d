import { Controller, type KubeObject, refOf, retryLostRaces } from '@slipway/kube';
import { type DeviceTaintRule, deviceTaintRules, resourceSlices } from '@slipway/kube-objects/kinds/api/devices';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { type ResourceClaim, resourceClaims } from '@slipway/kube-objects/kinds/api/resource-claims';
import { markDisrupted } from '@slipway/kube-objects/rules/disruption-target';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { isConditionCurrent, ruleStatusController, ruleStatusMs } from './rule-status-controller.js';
import { TaintedDevices, usersOf } from './tainted-devices.js';

/**
 * Two controllers: one deletes pods whose devices have a NoExecute taint, at once or after as long as their claims
 * tolerate it; the other says on DeviceTaintRules how far that is.
 * @param readsRules whether the API server has DeviceTaintRules
 */
export function deviceTaintEvictionControllers(deps: WorkloadDeps, readsRules: boolean): readonly Controller[] {
  const taints = new TaintedDevices(deps, readsRules);
  if (!readsRules) return [evictionController(deps, taints)];
  const status = ruleStatusController(deps, taints);
  // The pods that were deleted are seen a moment later.
  return [evictionController(deps, taints, (rule) => status.enqueue(refOf(rule), ruleStatusMs)), status];
}

function evictionController(
  deps: WorkloadDeps,
  taints: TaintedDevices,
  evictedBy?: (rule: DeviceTaintRule) => void,
): Controller {
  const { kube } = deps;
  return new Controller({
    ...deps,
    name: 'device-taint-eviction',
    for: pods,
    watches: [
      { of: resourceClaims, map: (claim) => usersOf(claim as ResourceClaim) },
      { of: resourceSlices, map: (slice) => taints.usersOfPool(slice) },
      ...(evictedBy ? [{ of: deviceTaintRules, map: (rule: KubeObject) => taints.usersOfRule(rule) }] : []),
    ],
    reconcile: retryLostRaces(async (ref, { now, signal, events }) => {
      const pod = taints.pod(ref);
      const eviction = pod && taints.evictionOf(pod);
      if (!eviction) return;
      // What a rule demands is said on it first; that changes the rule, which leads back here.
      if (eviction.rules.some((rule) => !isConditionCurrent(rule))) return;
      const waitMs = eviction.atMs - now();
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      const { uid = '' } = pod.metadata;
      events.event(pod, 'Normal', 'DeviceTaintManagerEviction', 'Marking for deletion');
      await markDisrupted(kube, ref, uid, cause, signal);
      await kube.resource(pods).delete(ref, { preconditions: { uid }, signal });
      for (const rule of eviction.rules) {
        taints.countEvicted(rule);
        evictedBy?.(rule);
      }
      return;
    }),
  });
}

const cause = {
  reason: 'DeletionByDeviceTaintManager',
  message: 'Device Taint manager: deleting due to NoExecute taint',
  fails: false,
} as const;
