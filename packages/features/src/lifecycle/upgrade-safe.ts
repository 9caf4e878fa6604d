import type { Condition } from '@slipway/kube';
import type { Reason } from '../api/conditions.js';
import type { FeatureStatus } from '../api/feature.js';

/** What one condition says. */
export interface Finding {
  readonly status: Condition['status'];
  readonly reason: Reason;
  readonly message: string;
}

/** What is known of a feature besides. */
export interface OtherFindings {
  readonly isDeclared: boolean;
  readonly known: Finding;
  readonly blocked: Finding;
  readonly usesConsistent: Finding;
  readonly danglingReferences: Finding;
}

/**
 * Whether anything of this one feature speaks against another version of the cluster. `True` is only said of a
 * feature whose definition says what it leaves behind, and only when everything about it could be looked at. What is
 * `False` here is a blocker of `slipway upgrade check` too, which adds what depends on the target.
 */
export function upgradeSafe(status: FeatureStatus, findings: OtherFindings): Finding {
  const { isDeclared, known, blocked, usesConsistent, danglingReferences } = findings;
  if (status.transition) {
    return { status: 'False', reason: 'InTransition', message: `it is on its way to ${status.transition.to}` };
  }
  if (blocked.status === 'True' && !status.maintenance?.tasks.length) return { ...blocked, status: 'False' };
  if (!isDeclared) {
    return { status: 'Unknown', reason: 'NoDefinition', message: 'nothing says what the feature leaves behind' };
  }
  if (known.status !== 'True') return { ...known, status: 'Unknown' };
  if (status.maintenance?.tasks.length) {
    const open = status.maintenance.tasks.map(({ name }) => name).join(', ');
    return { status: 'False', reason: 'UpgradeTasks', message: `to be done before v${status.maintenance.to}: ${open}` };
  }
  if (danglingReferences.status === 'True') return { ...danglingReferences, status: 'False' };
  if (usesConsistent.status === 'False') return usesConsistent;
  const leaving = leavingOnRestart(status);
  if (leaving !== undefined) return { status: 'False', reason: 'PendingRestart', message: leaving };
  const unsure = [danglingReferences, usesConsistent].find((finding) => finding.status === 'Unknown');
  return unsure ?? { status: 'True', reason: 'NothingAgainst', message: 'the feature does not block an upgrade' };
}

/** Which processes of a settled feature run its value only until they restart: `agent: 2 of 3 run off after a restart`. */
export function leavingOnRestart({ state, uses }: FeatureStatus): string | undefined {
  if (state !== 'On' && state !== 'Off') return undefined;
  const parts = (uses?.components ?? []).flatMap(({ name, required, expected, pendingRestart = 0 }) =>
    required && pendingRestart > 0
      ? [`${name}: ${pendingRestart} of ${expected} run ${state === 'On' ? 'off' : 'on'} after a restart`]
      : [],
  );
  return parts.length === 0 ? undefined : parts.join('; ');
}
