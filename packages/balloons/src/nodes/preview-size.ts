import type { NodeSizeSpec } from '../api/node-size.js';
import { type Amounts, nothing } from '../planner/amounts.js';
import { type PlanInput, planSize, type Resize, type SizeLimits } from '../planner/plan-size.js';
import { shortfallInWords, sizeProblem } from '../planner/size-problem.js';
import { readWish } from '../planner/size-wish.js';

/** The state of a node for which a spec is previewed. */
export interface PreviewInput {
  readonly allocatable: Amounts;
  readonly requested: Amounts;
  /** What the kubelet has allocated to the balloon; undefined where none runs yet. */
  readonly balloon: Amounts | undefined;
  readonly limits: SizeLimits;
  readonly spec: NodeSizeSpec;
}

export type SizePreview =
  | { readonly kind: 'impossible'; readonly message: string }
  | { readonly kind: 'at-size' }
  | { readonly kind: 'resize'; readonly plan: Resize };

/**
 * Returns what the controller would do for a spec, without writing anything. The node may still change before the
 * controller acts.
 * @throws WishError, QuantityError when the spec cannot be read.
 */
export function previewSize({ allocatable, requested, balloon, limits, spec }: PreviewInput): SizePreview {
  const input: PlanInput = {
    allocatable,
    requested,
    balloon: balloon ?? limits.minBalloon,
    wish: readWish(spec),
    fit: spec.fit ?? 'Exact',
    limits,
  };
  const possible = planSize({ ...input, requested: nothing, fit: 'BestEffort' });
  const problem = possible.kind === 'does-not-fit' ? undefined : sizeProblem(possible.outside);
  if (problem) return { kind: 'impossible', message: problem };
  const plan = planSize(input);
  if (plan.kind === 'does-not-fit') return { kind: 'impossible', message: shortfallInWords(input, plan) };
  return plan.kind === 'at-size' ? { kind: 'at-size' } : { kind: 'resize', plan };
}
