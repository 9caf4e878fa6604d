import type { RecentWrites } from '@slipway/kube';
import { type EventRecorder, errorMessage, hasReason, type ResourceClient, refOf } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { PersistentVolumeClaim } from '@slipway/kube-objects/kinds/api/volumes';
import type { StatefulSet } from '@slipway/kube-objects/kinds/api/workloads';
import { claimOwners, claimsOfPod } from './claims.js';
import { ordinalOf, wantedOrdinals } from './identity.js';
import type { Action } from './plan-stateful-set.js';

interface Deps {
  readonly client: ResourceClient<PersistentVolumeClaim>;
  readonly recent: RecentWrites<PersistentVolumeClaim>;
  readonly events: EventRecorder;
  readonly signal: AbortSignal;
}

/**
 * Makes the claims of pods that exist or are about to, before the pods need them,
 * and has each owned as the set's retention policy says.
 */
export async function keepClaims(
  deps: Deps,
  set: StatefulSet,
  pods: readonly Pod[],
  actions: readonly Action[],
): Promise<void> {
  if ((set.spec.volumeClaimTemplates ?? []).length === 0) return;
  const wanted = new Set(wantedOrdinals(set));
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal !== undefined) await keepClaimsOf(deps, set, ordinal, pod, !wanted.has(ordinal));
  }
  for (const action of actions) {
    if (action.kind === 'create') await keepClaimsOf(deps, set, action.ordinal, undefined, false);
  }
}

async function keepClaimsOf(
  { client, recent, events, signal }: Deps,
  set: StatefulSet,
  ordinal: number,
  pod: Pod | undefined,
  isCondemned: boolean,
): Promise<void> {
  for (const claim of claimsOfPod(set, ordinal)) {
    const found = recent.get(refOf(claim));
    if (found) {
      const ownerReferences = pod && claimOwners(set, found, pod, isCondemned);
      if (!ownerReferences) continue;
      const metadata = { resourceVersion: found.metadata.resourceVersion, ownerReferences };
      recent.wrote(await client.merge(refOf(found), { metadata }, { signal }));
    } else if (!isCondemned) {
      await create(claim);
    }
  }

  async function create(claim: PersistentVolumeClaim): Promise<void> {
    const what = `Claim ${claim.metadata.name} Pod ${set.metadata.name}-${ordinal} in StatefulSet ${set.metadata.name}`;
    try {
      recent.wrote(await client.create(claim, { signal }));
      events.event(set, 'Normal', 'SuccessfulCreate', `create ${what} success`);
    } catch (error) {
      if (hasReason(error, 'AlreadyExists')) return;
      const message = errorMessage(error);
      events.event(set, 'Warning', 'FailedCreate', `create ${what} failed error: ${message}`);
      throw error;
    }
  }
}
