import type { Deployment } from '@slipway/kube-objects/kinds/api/workloads';
import { roundedDown, roundedUp } from '../workloads/int-or-percent.js';

/** How far a rolling update may stray from the number of replicas. */
export interface RolloutLimits {
  /** Pods above the number of replicas that may exist for a while. */
  readonly maxSurge: number;
  /** Pods below the number of replicas that may be missing for a while. */
  readonly maxUnavailable: number;
}

/**
 * The limits in pods. Surge is rounded up and unavailability down; when both come
 * to nothing, one pod may be missing, or the rollout could never move.
 */
export function rolloutLimits(deployment: Deployment): RolloutLimits {
  const { replicas, strategy } = deployment.spec;
  if (strategy.type === 'Recreate') return { maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = roundedUp(strategy.rollingUpdate?.maxSurge ?? '25%', replicas);
  const maxUnavailable = roundedDown(strategy.rollingUpdate?.maxUnavailable ?? '25%', replicas);
  if (maxSurge === 0 && maxUnavailable === 0) return { maxSurge, maxUnavailable: Math.min(1, replicas) };
  return { maxSurge, maxUnavailable: Math.min(maxUnavailable, replicas) };
}
