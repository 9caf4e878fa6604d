import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import type { Demand } from '../demand/demand.js';
import type { ClusterView } from '../view/cluster-view.js';
import type { NodeState } from '../view/node-state.js';
import { deviceChoiceScore } from './device-choice-score.js';
import { imageScore } from './image-score.js';
import { interPodScore } from './inter-pod-score.js';
import { nodeAffinityScore } from './node-affinity-score.js';
import { balancedAllocation, balanceGained, leastAllocated } from './resource-scores.js';
import type { Score } from './score.js';
import { spreadScore } from './spread-score.js';
import { taintScore } from './taint-score.js';
import { volumeRoomScore } from './volume-room-score.js';

/** The preferences by which the scheduler of a version rates nodes. */
export function allScores({
  ratesBalanceGained,
  ratesVolumeRoom,
}: Pick<VersionProfile, 'ratesBalanceGained' | 'ratesVolumeRoom'>): readonly Score[] {
  const balance = ratesBalanceGained ? balanceGained : balancedAllocation;
  return [
    taintScore,
    nodeAffinityScore,
    leastAllocated,
    ...(ratesVolumeRoom ? [volumeRoomScore] : []),
    spreadScore,
    interPodScore,
    deviceChoiceScore,
    balance,
    imageScore,
  ];
}

/** The weighted sum of `scores`, for each of `feasible`. */
export function totalScores(
  scores: readonly Score[],
  demand: Demand,
  feasible: readonly NodeState[],
  cluster: ClusterView,
): readonly number[] {
  const totals = feasible.map(() => 0);
  for (const { weight, rate } of scores) {
    const rated = rate(demand, feasible, cluster);
    rated?.forEach((points, index) => {
      totals[index] = (totals[index] ?? 0) + weight * points;
    });
  }
  return totals;
}
