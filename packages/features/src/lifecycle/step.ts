import { type Condition, findCondition } from '@slipway/kube';
import type { FeatureStatus } from '../api/feature.js';
import { conditionsOf } from './conditions.js';
import { withdrawConsent } from './consent.js';
import { type Decision, earliest, type NextAction, normal, type StepEvent, warning } from './decision.js';
import { type DesiredState, desiredState } from './desired-state.js';
import { digest } from './digest.js';
import type { Blocker, Situation } from './situation.js';
import { specKey, steers, withCurrentAuthority } from './steering.js';
import { stepDeclaredGate } from './step-declared-gate.js';
import { stepUndeclaredGate, stepUnknownGate } from './step-other-gates.js';
import { summaryOf } from './summary.js';
import { at } from './transition.js';
import { truncateStatus } from './truncate-status.js';

/** What to do about a Feature. The caller carries out the fields in the order in which they stand here. */
export interface Step {
  /** First: open a new round of reports, and put its number into `status.uses` before writing. */
  readonly openRound: boolean;
  /** Second: write this, at the resource version that was decided upon. If that conflicts, drop the rest. */
  readonly status: FeatureStatus;
  /** Third: record these events. */
  readonly events: readonly StepEvent[];
  /** Fourth: do this, at most one thing. */
  readonly next?: NextAction | undefined;
  /** Without `next`: step again after this many milliseconds, even if nothing happens. */
  readonly wakeAfterMs?: number | undefined;
}

/** How soon an incomplete scan is repeated: what made it incomplete may be over. */
const rescanMs = 15_000;

/**
 * Decides what to do about a Feature: the state machine of KEP-3920, whose rules
 * T1 to T19 the tests list. Pure: equal situations give equal steps.
 */
export function step(situation: Situation): Step {
  const desired = desiredState({
    spec: situation.spec,
    status: situation.status,
    definition: situation.definition?.spec,
    effective: situation.effective,
    settable: situation.settable,
    components: situation.uses.components,
  });
  const decision = decide(noteFacts(situation, desired), desired, situation);
  const { status, blocker, keptBecause, openRound = false, events = [] } = decision;
  const conditions = conditionsOf({ situation, status, desired, blocker, keptBecause });
  const drift = driftEvents(situation.status.conditions, conditions);
  const isCleared = drift.some(({ reason }) => reason === 'DriftCleared');
  const scans = !blocker && needsScan(status, situation, isCleared);
  return {
    openRound,
    status: truncateStatus({ ...status, summary: summarize(status, conditions, situation), conditions }),
    events: [...events, ...drift],
    next: scans ? { kind: 'scanReferences' } : decision.next,
    wakeAfterMs: earliest([decision.wakeAfterMs, ...waiverEnds(situation), rescanAfterMs(status, situation)]),
  };
}

function decide(facts: FeatureStatus, desired: DesiredState, situation: Situation): Decision {
  const { definition, unknown } = situation;
  if (unknown?.reason === 'NotSeen') return stepUnknownGate(refuse(facts, situation, unknown), situation, unknown);
  if (unknown) return refuse(facts, situation, unknown);
  if (!definition) return stepUndeclaredGate(facts, situation);
  if (definition.problems.length > 0) {
    return refuse(facts, situation, { reason: 'Definition', message: definition.problems.join('; ') });
  }
  if (definition.refusal) return refuse(facts, situation, definition.refusal);
  return stepDeclaredGate(facts, desired, situation, definition);
}

/** Does nothing. Consent is withdrawn: it was not given to what may be possible later. */
function refuse(facts: FeatureStatus, { spec }: Situation, blocker: Blocker): Decision {
  const why = `nothing could be done when it was given: ${blocker.message}`;
  return { status: withdrawConsent(facts, spec.consent, why), blocker };
}

/** What holds whatever is decided: counts, versions, the configured value, a finished scan. */
function noteFacts(situation: Situation, desired: DesiredState): FeatureStatus {
  const { status, generation, uses, effective, coreVersion, definition, spec, settable, scan, nowMs } = situation;
  const { published, canaryFailed, unknownSince = coreVersion, withdrawnConsent, dangling, ...rest } = status;
  const isOfDefinition = !definition || (status.definitionDigest ?? definition.digest) === definition.digest;
  const isUnknown = situation.unknown?.reason === 'NotSeen';
  return {
    ...rest,
    // A scan for the references of another definition says nothing about this one.
    ...(dangling && isOfDefinition && { dangling }),
    ...(isUnknown && unknownSince !== undefined && { unknownSince }),
    ...(withdrawnConsent?.consent === digest(spec.consent) && { withdrawnConsent }),
    ...(definition && { settable }),
    ...(published && steers(spec, settable) && { published: withCurrentAuthority(published, situation) }),
    ...(canaryFailed?.wish === specKey(spec) && { canaryFailed }),
    ...(generation !== undefined && { observedGeneration: generation }),
    ...(effective && { effective }),
    ...(coreVersion !== undefined && !situation.unknown && { lastKnownVersion: coreVersion }),
    ...(desired.configured && { configured: desired.configured }),
    state: status.state ?? 'Unknown',
    stateSince: status.stateSince ?? at(nowMs),
    uses: { epoch: status.uses?.epoch ?? 0, ...(status.uses?.epochAt && { epochAt: status.uses.epochAt }), ...uses },
    ...(scan && status.state === 'Off' && { dangling: scan }),
  };
}

function driftEvents(before: readonly Condition[] = [], now: readonly Condition[]): readonly StepEvent[] {
  const drift = now.find(isDrift);
  const hadDrift = before.some(isDrift);
  if (drift && !hadDrift) return [warning('DriftDetected', drift.message)];
  if (!drift && hadDrift) return [normal('DriftCleared', 'all processes agree with the state again')];
  return [];
}

function isDrift({ type, reason }: Condition): boolean {
  return type === 'UsesConsistent' && reason === 'Drift';
}

function needsScan(status: FeatureStatus, situation: Situation, isDriftCleared: boolean): boolean {
  const { definition, scan, nowMs, scanEveryMs } = situation;
  if (status.state !== 'Off' || scan || !definition?.spec.references?.length) return false;
  if (isDriftCleared || !status.dangling) return true;
  return nowMs - Date.parse(status.dangling.scannedAt) >= (status.dangling.complete ? scanEveryMs : rescanMs);
}

function rescanAfterMs({ state, dangling }: FeatureStatus, { nowMs }: Situation): number | undefined {
  if (state !== 'Off' || dangling?.complete !== false) return undefined;
  return Math.max(0, Date.parse(dangling.scannedAt) + rescanMs - nowMs);
}

/** An expired waiver changes the counts, and no event reports it. */
function waiverEnds({ waivers, nowMs }: Situation): readonly number[] {
  return waivers.map(({ expires }) => Date.parse(expires) - nowMs);
}

function summarize(status: FeatureStatus, conditions: readonly Condition[], { unknown, definition }: Situation) {
  const blocked = findCondition(conditions, 'Blocked');
  const reason = unknown?.reason ?? (blocked?.status === 'True' ? blocked.reason : '');
  return summaryOf(status, (definition?.spec.references?.length ?? 0) > 0, reason);
}
