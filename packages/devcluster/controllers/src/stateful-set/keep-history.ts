import { hasReason, refOf } from '@slipway/kube';
import type { ControllerRevision } from '@slipway/kube-objects/kinds/api/workloads';
import type { RecordedClient } from '../workloads/recorded-client.js';
import { isSameRevision, type Revisioned, updateRevision } from './revisions.js';

interface Deps {
  readonly objects: RecordedClient<ControllerRevision>;
  readonly signal: AbortSignal;
  /** The label that a new revision carries its hash in, when not the usual one. */
  readonly hashLabel?: string;
}

/** The two templates a set works with. They are the same unless an update is under way. */
export interface Revisions {
  /** What pods below the partition are made from. */
  readonly current: ControllerRevision;
  /** What the set's template is. */
  readonly update: ControllerRevision;
  /** How many names were found taken. */
  readonly collisionCount: number;
}

/** Makes sure that the set's template is on record as the newest revision. */
export async function keepHistory(
  deps: Deps,
  set: Revisioned,
  history: readonly ControllerRevision[],
): Promise<Revisions> {
  const { update, collisionCount } = await recordUpdate(deps, set, history, set.status?.collisionCount ?? 0);
  const current = history.find((revision) => revision.metadata.name === set.status?.currentRevision) ?? update;
  return { current, update, collisionCount };
}

async function recordUpdate(
  deps: Deps,
  set: Revisioned,
  history: readonly ControllerRevision[],
  collisionCount: number,
): Promise<{ update: ControllerRevision; collisionCount: number }> {
  const { objects, signal, hashLabel } = deps;
  const wanted = updateRevision(set, history, collisionCount, hashLabel);
  if (wanted.kind === 'known') return { update: wanted.revision, collisionCount };
  if (wanted.kind === 'moved') {
    const { resourceVersion } = wanted.revision.metadata;
    const patch = { metadata: { resourceVersion }, revision: wanted.number };
    return { update: await objects.merge(refOf(wanted.revision), patch, signal), collisionCount };
  }
  try {
    return { update: await objects.create(wanted.revision, signal), collisionCount };
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
    const found = await objects.client.get(refOf(wanted.revision), signal);
    if (isSameRevision(found, wanted.revision)) return { update: found, collisionCount };
    return recordUpdate(deps, set, history, collisionCount + 1);
  }
}
