import { findCondition } from '@slipway/kube';
import type { ComponentUses, FeatureStatus, PlannedTask, Target } from '../api/feature.js';
import { agreedValue, agreedValueButForWaived, isIncomplete } from './agreement.js';
import { applyOutcome, outcomeOf } from './apply-outcome.js';
import { conditionsOf } from './conditions.js';
import { consentProblem, withdrawConsent } from './consent.js';
import { digest } from './digest.js';
import { type Effect, normal, warning } from './effect.js';
import { fitted } from './fit.js';
import { maintain } from './maintenance.js';
import { nextTask, publishSettled } from './next-task.js';
import { planDigest, planFor } from './plan.js';
import { keptBecause } from './retire.js';
import type { Decided, Hindrance, KnownDefinition, Situation } from './situation.js';
import { canaryOf, opposite, republishing, steers, wishOf } from './steering.js';
import { summaryOf } from './summary.js';
import { at, begin, replan } from './transition.js';
import { type Want, wanted } from './want.js';

/** What to write, and what to do besides. */
export interface Step {
  readonly status: FeatureStatus;
  readonly effects: readonly Effect[];
}

/** How often a feature that waits for first reports is looked at again when nothing happens. */
const watchMs = 2_000;
/** How soon a scan is repeated that could not look at everything: what kept it from that may be gone. */
const rescanMs = 15_000;

/**
 * Decides what a feature is next: the state machine of KEP-3920 as features.md 4.6
 * tables it. Pure: the caller writes the status, carries out the effects and
 * comes back with what they gave.
 */
export function step(situation: Situation): Step {
  const { definition, unknown } = situation;
  const effects: Effect[] = [];
  const want = wanted({
    spec: situation.spec,
    status: situation.status,
    definition: definition?.spec,
    effective: situation.effective,
    settable: situation.settable,
    components: situation.uses.components,
  });
  const facts = noteFacts(situation, want);
  const refused = (hindrance: Hindrance): Decided => [
    // Whatever is repaired later, nobody has agreed to what it is then.
    withdrawConsent(facts, situation.spec.consent, `nothing could be done when it was given: ${hindrance.message}`),
    hindrance,
  ];
  const [status, hindrance]: Decided = unknown
    ? refused(unknown)
    : !definition
      ? mirrored(facts, situation)
      : definition.problems.length > 0
        ? refused({ reason: 'Definition', message: definition.problems.join('; ') })
        : definition.refusal
          ? refused(definition.refusal)
          : move(facts, want, situation, definition, effects);

  const kept = forgotten(situation, status, effects);
  const conditions = conditionsOf({ situation, status, want, hindrance, kept });
  const drifted = (situation.status.conditions ?? []).some(isDrift);
  const drift = conditions.find(isDrift);
  if (drift && !drifted) effects.push(warning('DriftDetected', drift.message));
  if (!drift && drifted) effects.push(normal('DriftCleared', 'all processes agree with the state again'));
  // A waiver that ends changes what is counted, and nobody sends an event for that.
  for (const { expires } of situation.waivers) {
    effects.push({ kind: 'wakeAfter', ms: Date.parse(expires) - situation.nowMs });
  }
  if (!hindrance && needsAudit(status, situation, drifted && !drift)) effects.push({ kind: 'audit' });
  if (status.state === 'Off' && status.dangling?.complete === false) {
    effects.push({
      kind: 'wakeAfter',
      ms: Math.max(0, Date.parse(status.dangling.scannedAt) + rescanMs - situation.nowMs),
    });
  }
  const blocked = findCondition(conditions, 'Blocked');
  const held = unknown?.reason ?? (blocked?.status === 'True' ? blocked.reason : '');
  const summary = summaryOf(status, (definition?.spec.references?.length ?? 0) > 0, held);
  return { status: fitted({ ...status, summary, conditions }), effects };
}

/**
 * A Feature that nobody knows is kept as it is. It may go once nothing can be lost by it; what
 * was found long ago is no proof of that. Gives the reason why it stays.
 */
function forgotten(situation: Situation, status: FeatureStatus, effects: Effect[]): string | undefined {
  const { unknown, coreVersion, definition, audit } = situation;
  if (unknown?.reason !== 'NotSeen') return undefined;
  const isNews = findCondition(situation.status.conditions, 'Known')?.reason !== 'NotSeen';
  if (isNews) effects.push(warning('FeatureUnknown', unknown.message));
  const kept = keptBecause({ status, coreVersion, definition: definition?.spec });
  if (kept !== undefined) return kept;
  const mayUse = status.state === 'Off' && (definition?.spec.references ?? []).length > 0;
  effects.push(mayUse && !audit ? { kind: 'audit' } : { kind: 'retire' });
  return undefined;
}

/** The rules for a declared feature whose definition can be carried out. */
function move(
  facts: FeatureStatus,
  want: Want,
  situation: Situation,
  definition: KnownDefinition,
  effects: Effect[],
): Decided {
  const { spec, nowMs, newId } = situation;
  const { transition } = facts;
  const current = { ...facts, specDigest: specDigestOf(situation), definitionDigest: definition.digest };
  const plan = (to: Target) =>
    planFor({
      definition: definition.spec,
      to,
      steered: steers(spec, situation.settable),
      isDestructive: situation.isDestructive,
      guard: spec.guard,
      canary: canaryOf(spec, facts),
    });
  const start = (to: Target, cause: string): Decided => {
    effects.push({ kind: 'raiseEpoch' });
    const event = transition ? 'TransitionFlipped' : 'TransitionStarted';
    effects.push(normal(event, `turning ${to.toLowerCase()}; ${cause}`));
    return nextTask(begin(current, { id: newId, to, cause, plan: plan(to), nowMs }), situation, undefined, effects);
  };

  if (!transition) {
    const goal = facts.state === 'Unknown' ? adopt(facts, want, situation) : goalOf(facts, want, situation, plan);
    if (goal.state) return [publishSettled({ ...current, state: goal.state, stateSince: at(nowMs) }, situation)];
    if (goal.wakeAfterMs !== undefined) effects.push({ kind: 'wakeAfter', ms: goal.wakeAfterMs });
    if (!goal.begin) return maintain(publishSettled(current, situation), situation, definition, effects);
    if (spec.paused) return [current, pausedBefore(goal.begin)];
    return start(goal.begin, goal.cause ?? causeOf(want));
  }
  if (want.target !== undefined && want.target !== transition.to && !spec.paused) {
    return start(want.target, causeOf(want));
  }
  if (facts.specDigest !== current.specDigest || facts.definitionDigest !== current.definitionDigest) {
    return nextTask(replan(current, newId, plan(transition.to), nowMs), situation, undefined, effects);
  }
  const outcome = outcomeOf(situation);
  if (outcome?.kind === 'rollback') return rolledBack(facts, outcome.message, situation, definition, effects);
  const after = outcome ? applyOutcome(current, outcome, situation, definition, effects) : current;
  return nextTask(after, situation, outcome, effects);
}

/** T9, T14 by themselves: a canary failed, so the feature goes back, and stays there until something else is asked for. */
function rolledBack(
  facts: FeatureStatus,
  message: string,
  situation: Situation,
  definition: KnownDefinition,
  effects: Effect[],
): Decided {
  const { transition } = facts;
  if (!transition) return [facts];
  const failed: FeatureStatus = {
    ...facts,
    canaryFailed: { wish: wishOf(situation.spec), to: transition.to, message },
  };
  const target = opposite(transition.to);
  const refusal = { reason: 'CanaryFailed', message } as const;
  const back: Want = { target, configured: { value: target === 'On', source: 'Canary' }, refusal };
  const { report: _used, ...since } = situation;
  return move(failed, back, since, definition, effects);
}

interface Goal {
  /** To be adopted as it is. */
  readonly state?: Target;
  readonly begin?: Target;
  readonly cause?: string;
  readonly wakeAfterMs?: number;
}

/** T1 to T4: what a feature is when it is first seen. */
function adopt({ stateSince }: FeatureStatus, { target }: Want, { uses, nowMs, patienceMs }: Situation): Goal {
  if (target === undefined) return {};
  if (agreedValueButForWaived(uses.components) === target) return { state: target };
  const patientUntilMs = Date.parse(stateSince ?? at(nowMs)) + patienceMs;
  if (isIncomplete(uses.components) && nowMs < patientUntilMs) return { wakeAfterMs: watchMs };
  return { begin: target };
}

/** T5, T7, T12: why a settled feature is left. A process that disagrees is no reason; the configured value is. */
function goalOf(
  status: FeatureStatus,
  { target }: Want,
  { cleanup, spec, definition, nowMs }: Situation,
  plan: (to: Target) => readonly PlannedTask[],
): Goal {
  const { state, dangling, transitions = 0 } = status;
  if (target !== undefined && target !== state) return { begin: target };
  const dangles = state === 'Off' && (dangling?.count ?? 0) > (dangling?.waived ?? 0);
  if (!dangles) return {};
  // Consent to the plan of cleaning, before there is one at work, is the wish for it.
  const isAsked =
    consentProblem(spec.consent, status, {
      plan: planDigest(plan('Off'), 'Off', transitions + 1),
      revision: definition?.revision ?? '',
      nowMs,
      isUnderWay: false,
    }) === undefined;
  return cleanup === 'Automatic' || isAsked ? { begin: 'Off', cause: 'Clean: references were left behind' } : {};
}

/**
 * A gate without a definition has the state its processes agree on. Between `On`
 * and `Off` lies `Unknown`, so that no reader sees one become the other at once.
 */
function mirrored(facts: FeatureStatus, { uses, spec, nowMs }: Situation): Decided {
  const status = withdrawConsent(facts, spec.consent, 'no definition declared the gate when it was given');
  const asked = spec.desired !== undefined && spec.desired !== 'Unmanaged';
  const hindrance: Hindrance | undefined =
    asked || status.transition
      ? { reason: 'NoDefinition', message: `no FeatureDefinition declares ${spec.gate}, so it is only reported` }
      : undefined;
  if (status.transition) return [status, hindrance];
  const reporting = uses.components.filter((component) => component.expected > 0);
  const agreed = agreedValue(reporting.map((component): ComponentUses => ({ ...component, required: true })));
  if (agreed === undefined || agreed === status.state) return [status, hindrance];
  const state = status.state === 'Unknown' ? agreed : 'Unknown';
  return [{ ...status, state, stateSince: at(nowMs) }, hindrance];
}

/** What is true whatever is decided: counts, versions, the configured value, a finished scan. */
function noteFacts(situation: Situation, want: Want): FeatureStatus {
  const { status, generation, uses, effective, coreVersion, definition, spec, settable, audit, nowMs } = situation;
  const { published, canaryFailed, unknownSince = coreVersion, withdrawnConsent, ...rest } = status;
  const isForgotten = situation.unknown?.reason === 'NotSeen';
  return {
    ...rest,
    ...(isForgotten && unknownSince !== undefined && { unknownSince }),
    ...(withdrawnConsent?.consent === digest(spec.consent) && { withdrawnConsent }),
    ...(definition && { settable }),
    ...(published && steers(spec, settable) && { published: republishing(published, situation) }),
    ...(canaryFailed?.wish === wishOf(spec) && { canaryFailed }),
    ...(generation !== undefined && { observedGeneration: generation }),
    ...(effective && { effective }),
    ...(coreVersion !== undefined && !situation.unknown && { lastKnownVersion: coreVersion }),
    ...(want.configured && { configured: want.configured }),
    state: status.state ?? 'Unknown',
    stateSince: status.stateSince ?? at(nowMs),
    uses: { epoch: status.uses?.epoch ?? 0, ...(status.uses?.epochAt && { epochAt: status.uses.epochAt }), ...uses },
    ...(audit && status.state === 'Off' && { dangling: audit }),
  };
}

/** What of the spec a plan is made from. What is wanted has its own rule; consent and pause are none of it. */
function specDigestOf({ spec, cleanup, settable }: Situation): string {
  const { authority, guard, canary } = spec;
  const steered = steers(spec, settable) && spec.mode;
  const optional = { ...(guard && { guard }), ...(canary && { canary }) };
  return digest({ steered, cleanup, authority: authority?.component ?? '', ...optional });
}

function needsAudit(status: FeatureStatus, situation: Situation, driftCleared: boolean): boolean {
  const { definition, audit, nowMs, auditEveryMs } = situation;
  if (status.state !== 'Off' || audit || !definition?.spec.references?.length) return false;
  if (driftCleared || !status.dangling) return true;
  return nowMs - Date.parse(status.dangling.scannedAt) >= (status.dangling.complete ? auditEveryMs : rescanMs);
}

function pausedBefore(to: Target): Hindrance {
  return { reason: 'Paused', message: `spec.paused is set, so the feature is not turned ${to.toLowerCase()}` };
}

function causeOf({ configured, refusal }: Want): string {
  if (configured?.source === 'Canary') return `CanaryFailed: ${refusal?.message ?? ''}`;
  return configured ? `configured ${configured.value ? 'on' : 'off'} by ${configured.source}` : 'configured';
}

function isDrift(condition: { readonly type: string; readonly reason: string }): boolean {
  return condition.type === 'UsesConsistent' && condition.reason === 'Drift';
}
