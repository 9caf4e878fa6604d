import { type Condition, setCondition } from '@slipway/kube';
import type { ConditionType, Reason } from '../api/conditions.js';
import type { FeatureStatus } from '../api/feature.js';
import { agreedValue, drifts, waivedProcesses } from './agreement.js';
import type { DesiredState } from './desired-state.js';
import { workOf } from './maintenance.js';
import type { Blocker, Situation } from './situation.js';
import { at, wasWaived } from './transition.js';
import { type Finding, upgradeSafe } from './upgrade-safe.js';

/** What the conditions are made from: the decision, and what it was made from. */
export interface Verdict {
  readonly situation: Situation;
  readonly status: FeatureStatus;
  readonly desired: DesiredState;
  readonly blocker?: Blocker | undefined;
  /** Why a Feature whose gate is unknown is not deleted. */
  readonly keptBecause?: string | undefined;
}

/** All conditions of a Feature after a step, newest transitions dated now. */
export function conditionsOf(verdict: Verdict): readonly Condition[] {
  const { situation, status } = verdict;
  const others = {
    isDeclared: situation.definition !== undefined,
    known: known(verdict),
    usesConsistent: usesConsistent(verdict),
    blocked: blocked(verdict),
    danglingReferences: danglingReferences(verdict),
  };
  const all = {
    Known: others.known,
    DependenciesMet: dependenciesMet(verdict),
    UsesConsistent: others.usesConsistent,
    Progressing: progressing(verdict),
    Blocked: others.blocked,
    DanglingReferences: others.danglingReferences,
    GuardActive: guardActive(verdict),
    UpgradeSafe: upgradeSafe(status, others),
  } satisfies Record<ConditionType, Finding>;
  return Object.entries(all).reduce<Condition[]>(
    (conditions, [type, { status, reason, message }]) => {
      const generation = situation.generation === undefined ? {} : { observedGeneration: situation.generation };
      return setCondition(conditions, { type, status, reason, message, ...generation }, situation.nowMs);
    },
    [...(situation.status.conditions ?? [])],
  );
}

function known({ situation: { unknown, definition }, keptBecause }: Verdict): Finding {
  if (unknown) {
    const message = keptBecause === undefined ? unknown.message : `${unknown.message}; ${keptBecause}`;
    return { status: 'False', reason: unknown.reason, message };
  }
  if (definition) return { status: 'True', reason: 'Declared', message: 'a FeatureDefinition declares the gate' };
  return { status: 'True', reason: 'ReportedOnly', message: 'processes report the gate; nothing declares it' };
}

function dependenciesMet({ situation: { dependencies } }: Verdict): Finding {
  if (dependencies) return { status: 'False', ...dependencies };
  return { status: 'True', reason: 'Met', message: 'nothing that this gate depends on is missing' };
}

function usesConsistent({ status, situation, desired }: Verdict): Finding {
  const { components } = situation.uses;
  const { state } = status;
  const considered = situation.definition ? components : components.map((one) => ({ ...one, required: true }));
  const agreed = agreedValue(considered.filter((component) => situation.definition || component.expected > 0));
  // A transition may still have objects to clear when all processes have come along.
  const target = status.transition?.to ?? state;
  if (agreed !== undefined && (agreed === target || target === 'Unknown')) {
    return { status: 'True', reason: 'Agreed', message: `every process reports ${agreed.toLowerCase()}` };
  }
  if (status.transition) {
    const reason = wasWaived(status.transition) ? 'Waived' : 'InTransition';
    return { status: 'False', reason, message: whoRunsWhat(status) };
  }
  if (desired.configured?.conflict)
    return { status: 'False', reason: 'Conflict', message: desired.configured.conflict };
  if (state && drifts(considered, state)) return { status: 'False', reason: 'Drift', message: whoRunsWhat(status) };
  if (waivedProcesses(considered) > 0 || status.history?.[0]?.result === 'Waived') {
    return { status: 'False', reason: 'Waived', message: whoRunsWhat(status) };
  }
  if (components.every((component) => component.on + component.off === 0)) {
    return { status: 'Unknown', reason: 'NoEvidence', message: 'no process has reported the gate' };
  }
  return { status: 'Unknown', reason: 'Silent', message: whoRunsWhat(status) };
}

function progressing({ status, situation, blocker, desired }: Verdict): Finding {
  const head = workOf(status)?.tasks[0];
  if (situation.unknown && status.transition) {
    return { status: 'False', reason: situation.unknown.reason, message: 'the transition is not continued' };
  }
  if (!head && status.state === 'Unknown' && situation.definition && !situation.unknown && !blocker) {
    const patientUntilMs = Date.parse(status.stateSince ?? at(situation.nowMs)) + situation.patienceMs;
    // Without a configured value there is nothing to decide on when the time is over.
    const until = desired.target === undefined ? '' : `, until ${at(patientUntilMs)} at most`;
    const message = `waits for first reports${until}: ${whoRunsWhat(status)}`;
    return { status: 'True', reason: 'AwaitingEvidence', message };
  }
  if (!head || situation.unknown) return { status: 'False', reason: 'Settled', message: 'no transition is running' };
  const isAtWork = head.phase === 'Running' || head.phase === 'Pending';
  const reason = !status.transition ? 'UpgradeTasks' : isAtWork ? 'Running' : 'Waiting';
  return { status: 'True', reason, message: head.message ? `${head.name}: ${head.message}` : head.name };
}

function blocked({ status, desired, blocker, situation }: Verdict): Finding {
  const head = workOf(status)?.tasks[0];
  if (situation.unknown && (status.transition || status.guard)) {
    const { reason, message } = situation.unknown;
    const denies = status.guard ? `, and ${status.guard.policies.join(', ')} stay in force` : '';
    return { status: 'True', reason, message: `${message}; it stays ${status.state}${denies}` };
  }
  const found = situation.unknown ? undefined : (blocker ?? desired.refusal);
  if (found) return { status: 'True', ...found };
  if (head?.phase === 'Blocked') {
    return {
      status: 'True',
      reason: (head.reason ?? 'TaskBlocked') as Reason,
      message: `${head.name}: ${head.message ?? ''}`,
    };
  }
  return { status: 'False', reason: 'NotBlocked', message: 'nothing waits for a person' };
}

function danglingReferences({ status, situation: { definition } }: Verdict): Finding {
  const { state, dangling } = status;
  if (!definition) {
    return { status: 'Unknown', reason: 'NoDefinition', message: 'nothing says what a use of the gate looks like' };
  }
  if (!definition.spec.references?.length) {
    return { status: 'False', reason: 'Clean', message: 'the definition names nothing that could be left behind' };
  }
  if (state === 'On' || state === 'TurningOn') {
    return { status: 'False', reason: 'InUse', message: 'the feature is on, so uses are valid' };
  }
  if (!dangling) return { status: 'Unknown', reason: 'NotScanned', message: 'not scanned yet' };
  if (dangling.count > 0) {
    return { status: 'True', reason: 'Found', message: `${dangling.count} objects still use the feature` };
  }
  if (dangling.complete && dangling.uncovered !== undefined) {
    return { status: 'Unknown', reason: 'KindsNotCovered', message: dangling.uncovered };
  }
  return dangling.complete
    ? { status: 'False', reason: 'Clean', message: 'a complete scan found no use' }
    : { status: 'Unknown', reason: 'NotScanned', message: dangling.note ?? 'the last scan was not complete' };
}

function guardActive({ status: { guard }, situation: { nowMs } }: Verdict): Finding {
  if (!guard || guard.policies.length === 0) {
    return {
      status: 'False',
      reason: 'NotGuarded',
      message: guard?.unguarded?.join('; ') ?? 'new uses are not refused',
    };
  }
  const names = guard.policies.join(', ');
  if (nowMs < Date.parse(guard.activeSince)) {
    return { status: 'False', reason: 'GuardSettling', message: `in force from ${guard.activeSince} on: ${names}` };
  }
  const open = guard.unguarded?.length ? `; not guarded: ${guard.unguarded.join('; ')}` : '';
  return guard.verifiedReplicas > 0
    ? {
        status: 'True',
        reason: 'Guarded',
        message: `${guard.verifiedReplicas} API servers refused a trial write: ${names}${open}`,
      }
    : { status: 'Unknown', reason: 'Unproven', message: `no trial write could show that ${names} are in force${open}` };
}

/** `kube-apiserver 1 on, 2 off; kubelet 3 off, 1 silent`. */
function whoRunsWhat({ uses }: FeatureStatus): string {
  const parts = (uses?.components ?? []).map(({ name, on, off, unregistered, silent, waived }) => {
    const counts = Object.entries({ on, off, unregistered, silent, waived }).filter(([, count]) => count > 0);
    return `${name} ${counts.map(([value, count]) => `${count} ${value}`).join(', ') || 'not seen'}`;
  });
  return parts.join('; ') || 'no process has reported the gate';
}
