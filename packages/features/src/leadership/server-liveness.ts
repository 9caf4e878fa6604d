import type { Feature } from '../api/feature.js';
import type { LeaseObject } from '../uses/watch-rosters.js';
import { deadAfterMs } from './server-lease.js';

/**
 * Whether feature servers act on Features. `absent`: none lives; `stalled`: a change of some spec was not taken up,
 * whether or not servers live; `unknown`: leases may not be read, and no Feature shows that something is wrong.
 */
export type ServerLiveness =
  | { readonly kind: 'alive' | 'unknown' }
  | { readonly kind: 'absent'; readonly silentMs?: number }
  | { readonly kind: 'stalled'; readonly waitedMs: number; readonly areAlive: boolean };

export interface ServerEvidence {
  /** Leases of feature servers; undefined when they may not be read. */
  readonly leases: readonly LeaseObject[] | undefined;
  /** Those that are known to the caller, not necessarily all. */
  readonly features: readonly Feature[];
  /** By the clock of the API server, where that is known. */
  readonly nowMs: number;
}

/** A spec that was changed this long ago, and that no status refers to, was not taken up by any server. */
const stalledAfterMs = 60_000;

/** Decides from leases, and from `observedGeneration` of Features, whether a feature server acts on Features. */
export function serverLiveness({ leases, features, nowMs }: ServerEvidence): ServerLiveness {
  const silences = leases?.map((lease) => nowMs - lastRenewalMs(lease));
  const areAlive = (leases ?? []).some((lease, index) => isHeld(lease) && (silences?.[index] ?? 0) < deadAfterMs);
  if (silences && !areAlive) {
    const silentMs = Math.max(0, Math.min(...silences));
    return { kind: 'absent', ...(Number.isFinite(silentMs) && { silentMs }) };
  }
  const waitedMs = Math.max(0, ...features.filter(isUnseen).map((feature) => nowMs - specChangedMs(feature, nowMs)));
  if (waitedMs >= stalledAfterMs) return { kind: 'stalled', waitedMs, areAlive };
  return { kind: areAlive ? 'alive' : 'unknown' };
}

/** `no feature server has run for 3 m; nothing will change until one does`; undefined while nothing is wrong. */
export function serverProblem(liveness: ServerLiveness): string | undefined {
  switch (liveness.kind) {
    case 'absent': {
      const since = liveness.silentMs === undefined ? 'runs' : `has run for ${spanText(liveness.silentMs)}`;
      return `no feature server ${since}; nothing will change until one does`;
    }
    case 'stalled':
      return `no feature server has taken up a change of ${spanText(liveness.waitedMs)} ago${liveness.areAlive ? ', although one runs' : ''}; nothing will change until one does`;
    default:
      return undefined;
  }
}

/** What a person does about it. */
export const serverRemedy =
  'kubectl -n slipway-system get pods, and see to slipway-feature-server; beside a cluster of your own: slipway run feature-server';

/** Whether the status of a Feature says nothing of its newest spec. */
export function isUnseen({ metadata, status }: Feature): boolean {
  if (metadata.deletionTimestamp || metadata.generation === undefined) return false;
  return (status?.observedGeneration ?? 0) < metadata.generation;
}

/** A server that stopped in order leaves its lease without a holder. */
function isHeld({ spec }: LeaseObject): boolean {
  return (spec.holderIdentity ?? '') !== '';
}

interface FieldsEntry {
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/**
 * When a lease was last renewed. The API server dates every write by its own clock, which is the clock of `nowMs`;
 * `renewTime` is that of the feature server and counts only where the write has no date.
 */
function lastRenewalMs(lease: LeaseObject): number {
  const written = lastWriteMs(lease, ({ fieldsV1 = {} }) => {
    const spec = fieldsV1['f:spec'];
    return typeof spec === 'object' && spec !== null && 'f:renewTime' in spec;
  });
  return written ?? timeOf(lease.spec.renewTime) ?? 0;
}

function specChangedMs(feature: Feature, nowMs: number): number {
  const written = lastWriteMs(feature, ({ fieldsV1 = {}, subresource }) => !subresource && 'f:spec' in fieldsV1);
  return written ?? timeOf(feature.metadata.creationTimestamp) ?? nowMs;
}

function lastWriteMs(
  { metadata }: { readonly metadata: LeaseObject['metadata'] },
  isOfInterest: (entry: FieldsEntry) => boolean,
): number | undefined {
  const entries = (metadata.managedFields ?? []) as readonly FieldsEntry[];
  const times = entries.filter(isOfInterest).flatMap(({ time }) => timeOf(time) ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

function timeOf(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** `40 s`, `3 m`, `5 h` or `2 d`. */
function spanText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
