import type { DirectiveStage } from '../document/directive.js';

/** How far a proposal is meant to be: the stages of `kep.yaml`, and `draft` for what is not implementable yet. */
export type Stage = 'draft' | 'alpha' | 'beta' | 'stable' | 'deprecated' | 'disabled' | 'removed';

/** The values of `stage` in `kep.yaml`. */
export const stages = ['alpha', 'beta', 'stable', 'deprecated', 'disabled', 'removed'] as const;

const rank: Readonly<Record<Stage, number>> = {
  draft: 0,
  alpha: 1,
  beta: 2,
  stable: 3,
  deprecated: 1,
  disabled: 2,
  removed: 3,
};

/** Whether `stage` is at or past `from`. The stages of removal count like alpha, beta and stable. */
export function reaches(stage: Stage, from: DirectiveStage): boolean {
  return rank[stage] >= rank[from];
}
