import type { FeatureStatus, PlannedTask, Transition } from '../api/feature.js';
import type { Target } from '../api/target.js';
import { agreedValueButForWaived, isIncomplete } from './agreement.js';
import { applyOutcome, outcomeOf } from './apply-outcome.js';
import { consentProblem } from './consent.js';
import { andThen, type Decision, normal } from './decision.js';
import type { DesiredState } from './desired-state.js';
import { digest } from './digest.js';
import { maintain } from './maintenance.js';
import { nextTask, publishSettled } from './next-task.js';
import { planDigest, planFor } from './plan.js';
import type { KnownDefinition, Situation } from './situation.js';
import { canaryOf, opposite, specKey, steers } from './steering.js';
import { at, begin, replan } from './transition.js';

/** How often a feature that waits for first reports is decided upon when nothing happens. */
const firstReportsMs = 2_000;

/** Decides on a declared feature whose definition can be carried out. */
export function stepDeclaredGate(
  facts: FeatureStatus,
  desired: DesiredState,
  situation: Situation,
  definition: KnownDefinition,
): Decision {
  const status = { ...facts, specDigest: specDigestOf(situation), definitionDigest: definition.digest };
  return status.transition
    ? stepTransition(status, status.transition, desired, situation, definition)
    : stepSettled(status, desired, situation, definition);
}

function stepSettled(
  status: FeatureStatus,
  desired: DesiredState,
  situation: Situation,
  definition: KnownDefinition,
): Decision {
  const { spec, nowMs } = situation;
  const move =
    status.state === 'Unknown'
      ? firstMove(status, desired, situation)
      : nextMove(status, desired, situation, definition);
  switch (move.kind) {
    case 'adopt':
      return { status: publishSettled({ ...status, state: move.state, stateSince: at(nowMs) }, situation) };
    case 'begin':
      if (spec.paused) return { status, blocker: pausedBefore(move.to) };
      return start(status, move.to, move.cause, situation, definition);
    case 'stay': {
      const settled = { status: publishSettled(status, situation), wakeAfterMs: move.wakeAfterMs };
      return andThen(settled, (current) => maintain(current, situation, definition));
    }
  }
}

function stepTransition(
  status: FeatureStatus,
  transition: Transition,
  desired: DesiredState,
  situation: Situation,
  definition: KnownDefinition,
): Decision {
  const { spec, nowMs, newId } = situation;
  if (desired.target !== undefined && desired.target !== transition.to && !spec.paused) {
    return start(status, desired.target, causeOf(desired), situation, definition);
  }
  const { specDigest, definitionDigest } = situation.status;
  if (specDigest !== status.specDigest || definitionDigest !== status.definitionDigest) {
    const plan = planTo(transition.to, status, situation, definition);
    return nextTask(replan(status, newId, plan, nowMs), situation, undefined);
  }
  const outcome = outcomeOf(situation);
  if (outcome?.kind === 'rollback') return rollBack(status, transition, outcome.message, situation, definition);
  const after = outcome ? applyOutcome(status, outcome, situation, definition) : { status };
  return andThen(after, (current) => nextTask(current, situation, outcome));
}

/** T5, T9, T12, T14: begins a transition, in place of the one that is under way. */
function start(
  status: FeatureStatus,
  to: Target,
  cause: string,
  situation: Situation,
  definition: KnownDefinition,
): Decision {
  const { newId, nowMs } = situation;
  const plan = planTo(to, status, situation, definition);
  const reason = status.transition ? 'TransitionFlipped' : 'TransitionStarted';
  const begun = {
    status: begin(status, { id: newId, to, cause, plan, nowMs }),
    openRound: true,
    events: [normal(reason, `turning ${to.toLowerCase()}; ${cause}`)],
  };
  return andThen(begun, (current) => nextTask(current, situation, undefined));
}

/** T9, T14 without a request: a canary failed, so the feature goes back, and stays there until the spec changes. */
function rollBack(
  status: FeatureStatus,
  { to }: Transition,
  message: string,
  situation: Situation,
  definition: KnownDefinition,
): Decision {
  const failed: FeatureStatus = { ...status, canaryFailed: { wish: specKey(situation.spec), to, message } };
  const target = opposite(to);
  const refusal = { reason: 'CanaryFailed', message } as const;
  const back: DesiredState = { target, configured: { value: target === 'On', source: 'Canary' }, refusal };
  const { report: _applied, ...rest } = situation;
  return stepDeclaredGate(failed, back, rest, definition);
}

/** What is done about a feature without a transition. */
type Move =
  /** Take the state that the processes already have. */
  | { readonly kind: 'adopt'; readonly state: Target }
  | { readonly kind: 'begin'; readonly to: Target; readonly cause: string }
  | { readonly kind: 'stay'; readonly wakeAfterMs?: number };

/** T1 to T4: decides what a feature is when it is first seen. */
function firstMove({ stateSince }: FeatureStatus, desired: DesiredState, situation: Situation): Move {
  const { uses, nowMs, patienceMs } = situation;
  const { target } = desired;
  if (target === undefined) return { kind: 'stay' };
  if (agreedValueButForWaived(uses.components) === target) return { kind: 'adopt', state: target };
  const patientUntilMs = Date.parse(stateSince ?? at(nowMs)) + patienceMs;
  if (isIncomplete(uses.components) && nowMs < patientUntilMs) return { kind: 'stay', wakeAfterMs: firstReportsMs };
  return { kind: 'begin', to: target, cause: causeOf(desired) };
}

/** T5, T7, T12: decides whether a settled feature changes. The configured value changes it; a process that disagrees does not. */
function nextMove(
  status: FeatureStatus,
  desired: DesiredState,
  situation: Situation,
  definition: KnownDefinition,
): Move {
  const { state, dangling } = status;
  const { target } = desired;
  if (target !== undefined && target !== state) return { kind: 'begin', to: target, cause: causeOf(desired) };
  const dangles = state === 'Off' && (dangling?.count ?? 0) > (dangling?.waived ?? 0);
  const mayClean = dangles && (situation.cleanup === 'Automatic' || isCleanRequested(status, situation, definition));
  return mayClean ? { kind: 'begin', to: 'Off', cause: 'Clean: references were left behind' } : { kind: 'stay' };
}

/** Whether the spec consents to the plan that cleaning would have: that is how cleaning is requested. */
function isCleanRequested(status: FeatureStatus, situation: Situation, definition: KnownDefinition): boolean {
  const { spec, nowMs } = situation;
  const plan = planDigest(planTo('Off', status, situation, definition), 'Off', (status.transitions ?? 0) + 1);
  const { revision } = definition;
  return consentProblem(spec.consent, status, { plan, revision, nowMs, isUnderWay: false }) === undefined;
}

function planTo(
  to: Target,
  status: FeatureStatus,
  { spec, settable, isDestructive }: Situation,
  definition: KnownDefinition,
): readonly PlannedTask[] {
  return planFor({
    definition: definition.spec,
    to,
    steered: steers(spec, settable),
    isDestructive,
    guard: spec.guard,
    canary: canaryOf(spec, status),
  });
}

/** Digest of the parts of the spec that a plan is made from. The desired value, consent and pause have rules of their own. */
function specDigestOf({ spec, cleanup, settable }: Situation): string {
  const { authority, guard, canary } = spec;
  const steered = steers(spec, settable) && spec.mode;
  const optional = { ...(guard && { guard }), ...(canary && { canary }) };
  return digest({ steered, cleanup, authority: authority?.component ?? '', ...optional });
}

function pausedBefore(to: Target) {
  return { reason: 'Paused', message: `spec.paused is set, so the feature is not turned ${to.toLowerCase()}` } as const;
}

function causeOf({ configured, refusal }: DesiredState): string {
  if (configured?.source === 'Canary') return `CanaryFailed: ${refusal?.message ?? ''}`;
  return configured ? `configured ${configured.value ? 'on' : 'off'} by ${configured.source}` : 'configured';
}
