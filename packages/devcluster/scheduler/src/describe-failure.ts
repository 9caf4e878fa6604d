import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import { describeFindings } from './placement/describe-findings.js';
import type { Findings } from './placement/place-pod.js';
import type { PreemptionPlan } from './preemption/plan-preemption.js';

/** What came of looking for a node, and of looking for room. */
export interface Failure {
  readonly findings: Findings;
  readonly plan: PreemptionPlan | undefined;
  /** Whether the devices of a claim are freed, so that they may be had on another node. */
  readonly freesDevices: boolean;
}

/** Why a pod has no node, in the words of the scheduler of a version, which people and autoscalers read. */
export function describeFailure(
  { spec }: Pod,
  { findings, plan, freesDevices }: Failure,
  { looksForClaims, saysNoClaims }: VersionProfile,
): string {
  const found = describeFindings(findings);
  // Kubernetes fails to look for claims of a pod that another rule has turned away before.
  if (
    plan &&
    plan.kind !== 'preempt' &&
    looksForClaims &&
    findings.refusal &&
    findings.refusal.by !== 'DynamicResources'
  ) {
    return `${found} not found`;
  }
  const freed = freesDevices ? 'deallocation of ResourceClaim completed' : undefined;
  const none = spec.resourceClaims?.length ? 'still not schedulable' : 'no new claims to deallocate';
  const ofClaims = freed ?? (plan && plan.kind !== 'preempt' && saysNoClaims ? none : undefined);
  const ofPreemption = plan && plan.kind !== 'preempt' ? `preemption: ${plan.message}` : undefined;
  const tried = [ofClaims, ofPreemption].filter((text) => text !== undefined);
  return tried.length === 0 ? found : `${found} ${tried.join(', ')}`;
}
