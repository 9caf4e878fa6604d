import {
  type Condition,
  Controller,
  findCondition,
  type KubeObject,
  refOf,
  retryLostRaces,
  timestamp,
} from '@slipway/kube';
import { type DeviceTaintRule, deviceTaintRules } from '@slipway/kube-objects/kinds/api/devices';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { ruleCondition } from './rule-condition.js';
import type { TaintedDevices } from './tainted-devices.js';

/** The condition of a rule is written no more often than this while the rule stays as it is. */
export const ruleStatusMs = 10_000;

/** Whether the condition of a rule is about the rule as it is now. */
export function isConditionCurrent(rule: DeviceTaintRule): boolean {
  return conditionOf(rule)?.observedGeneration === rule.metadata.generation;
}

function conditionOf({ status }: DeviceTaintRule): Condition | undefined {
  return findCondition(status?.conditions, 'EvictionInProgress');
}

/** Says on DeviceTaintRules how far the eviction is that they demand. */
export function ruleStatusController(deps: WorkloadDeps, taints: TaintedDevices): Controller {
  const { kube, informers } = deps;
  const rules = informers.informer(deviceTaintRules).lister;
  const client = kube.resource(deviceTaintRules);
  const ofPod = (pod: KubeObject) => taints.evictionOf(pod as Pod)?.rules.map(refOf) ?? [];
  return new Controller({
    ...deps,
    name: 'device-taint-rule-status',
    for: deviceTaintRules,
    watches: [{ of: pods, map: ofPod }],
    reconcile: retryLostRaces(async (ref, { now, signal }) => {
      const rule = rules.get(ref);
      if (!rule) return;
      const known = conditionOf(rule);
      if (known && isConditionCurrent(rule)) {
        if (rule.spec.taint.effect !== 'NoExecute') return;
        const waitMs = Date.parse(known.lastTransitionTime) + ruleStatusMs - now();
        if (waitMs > 0) return { requeueAfterMs: waitMs };
      }
      const next = ruleCondition(rule, taints.counts(rule));
      const isSame =
        known &&
        (['status', 'reason', 'message', 'observedGeneration'] as const).every((field) => known[field] === next[field]);
      if (isSame) return;
      const { name = '', uid } = rule.metadata;
      const said = { ...next, lastTransitionTime: timestamp(now()) };
      await client.applyStatus(
        { metadata: { name, ...(uid && { uid }) }, status: { conditions: [said] } },
        { fieldManager: 'device-taint-eviction', force: true, signal },
      );
    }),
  });
}
