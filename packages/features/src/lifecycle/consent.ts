import type { Consent, ConsentedObjects, FeatureStatus, TaskStatus, Transition } from '../api/feature.js';
import { digest } from './digest.js';

/** Default duration of consent. */
export const consentMs = 3_600_000;
/** How long consent holds at most. */
export const maxConsentMs = 86_400_000;
/** By how much the clock of whoever consents may be ahead. */
const clockSkewMs = 300_000;

/** What a task that changes users' objects needs consent to, and when. */
export interface ConsentQuestion {
  readonly plan: string;
  /** Of the definition. */
  readonly revision: string;
  readonly nowMs: number;
  /** Whether the task only finishes what it began: it may after consent has expired. */
  readonly isUnderWay: boolean;
}

/** Why consent does not cover what is asked; undefined when it does. */
export function consentProblem(
  consent: Consent | undefined,
  { withdrawnConsent }: FeatureStatus,
  { plan, revision, nowMs, isUnderWay }: ConsentQuestion,
): string | undefined {
  if (!consent) return 'this plan has no consent';
  if (withdrawnConsent?.consent === digest(consent)) return withdrawnConsent.why;
  if (consent.plan !== plan) return 'the consent is to another plan';
  if (consent.definition !== revision) return 'the definition has changed since the consent was given';
  const endsMs = Date.parse(consent.expires);
  if (!(endsMs - nowMs <= maxConsentMs + clockSkewMs)) return `the consent ends at ${consent.expires}, too far ahead`;
  return !isUnderWay && nowMs >= endsMs ? `the consent expired at ${consent.expires}` : undefined;
}

/** Notes that a consent did not hold, so that it never does again. */
export function withdrawConsent(status: FeatureStatus, consent: Consent | undefined, why: string): FeatureStatus {
  if (!consent) return status;
  const name = digest(consent);
  return status.withdrawnConsent?.consent === name ? status : { ...status, withdrawnConsent: { consent: name, why } };
}

/** Objects that a task would change now. */
export interface Extent {
  readonly count: number;
  /** When the newest of them was created, RFC 3339. */
  readonly newest?: string;
}

/** Why the objects of a task are not those that were shown; undefined when they are. `changed` counts those it changed already. */
export function extentProblem(
  shown: ConsentedObjects | undefined,
  extent: Extent,
  changed: number,
): string | undefined {
  if (!shown) return 'its objects were not shown to whoever agreed';
  const total = changed + extent.count;
  if (total > shown.count) {
    const before =
      changed > 0
        ? `it has changed ${changed} objects and would change ${extent.count}`
        : `it would change ${total} objects`;
    return `${before}, and ${shown.count} were agreed to`;
  }
  // What has no date, or none to be compared with, counts as newer.
  const isNewer = extent.newest !== undefined && !(Date.parse(extent.newest) <= Date.parse(shown.newest ?? ''));
  return isNewer ? `it would change an object that was created at ${extent.newest}, after the consent` : undefined;
}

/** Objects that earlier runs of a task have changed in the same transition, not counting the run that a checkpoint is of. */
export function changedBefore(
  { completed }: Pick<Transition, 'completed'>,
  { name }: Pick<TaskStatus, 'name'>,
): number {
  return completed.reduce((sum, task) => sum + (task.name === name ? (task.objects ?? 0) : 0), 0);
}
