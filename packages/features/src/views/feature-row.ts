import { findCondition } from '@slipway/kube';
import type { Feature } from '../api/feature.js';

/** One feature of a listing, in the words that the feature server put into `status.summary`. */
export interface FeatureRow {
  readonly namespace: string;
  readonly name: string;
  readonly gate: string;
  readonly stage: string;
  readonly state: string;
  readonly configured: string;
  readonly uses: string;
  readonly dangling: string;
  readonly upgrade: UpgradeWord;
  /** When the state was reached, RFC 3339. */
  readonly since: string | undefined;
  readonly next: string;
  readonly blocked: string;
  /** Why an upgrade would not be safe; empty where nothing speaks against one. */
  readonly unsafe: string;
  /** When the Feature was created, RFC 3339. */
  readonly created: string | undefined;
}

/** Whether something about a feature speaks against an upgrade; `slipway upgrade check` says it in full. */
export type UpgradeWord = 'ok' | 'blocked' | 'unknown';

/** Describes a feature as every listing does. */
export function featureRow({ metadata, spec, status }: Feature): FeatureRow {
  const safe = findCondition(status?.conditions, 'UpgradeSafe');
  const upgrade = !safe || safe.status === 'Unknown' ? 'unknown' : safe.status === 'True' ? 'ok' : 'blocked';
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    gate: spec.gate,
    stage: status?.effective?.stage ?? '',
    state: status?.summary?.state ?? status?.state ?? 'Unknown',
    configured: status?.summary?.configured ?? '',
    uses: status?.summary?.uses ?? '',
    dangling: status?.summary?.dangling ?? '',
    upgrade,
    since: status?.stateSince,
    next: status?.summary?.next ?? '',
    blocked: status?.summary?.blocked ?? '',
    unsafe: safe?.status === 'False' ? safe.reason : '',
    created: metadata.creationTimestamp,
  };
}
