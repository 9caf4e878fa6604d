import { errorMessage, hasReason, refOf } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { PersistentVolumeClaim } from '@slipway/kube-objects/kinds/api/volumes';
import type { StatefulSet } from '@slipway/kube-objects/kinds/api/workloads';
import type { Writing } from '../workloads/write-pods.js';
import { claimOwners, claimsOfPod } from './claims.js';
import { ordinalOf, wantedOrdinals } from './identity.js';
import type { Action } from './plan-stateful-set.js';

/**
 * Makes the claims of pods that exist or are about to, before the pods need them,
 * and has each owned as the set's retention policy says.
 */
export async function keepClaims(
  writing: Writing<PersistentVolumeClaim>,
  set: StatefulSet,
  pods: readonly Pod[],
  actions: readonly Action[],
): Promise<void> {
  if ((set.spec.volumeClaimTemplates ?? []).length === 0) return;
  const wanted = new Set(wantedOrdinals(set));
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal !== undefined) await keepClaimsOf(writing, set, ordinal, pod, !wanted.has(ordinal));
  }
  for (const action of actions) {
    if (action.kind === 'create') await keepClaimsOf(writing, set, action.ordinal, undefined, false);
  }
}

async function keepClaimsOf(
  { objects, events, signal }: Writing<PersistentVolumeClaim>,
  set: StatefulSet,
  ordinal: number,
  pod: Pod | undefined,
  isCondemned: boolean,
): Promise<void> {
  for (const claim of claimsOfPod(set, ordinal)) {
    const found = objects.get(refOf(claim));
    if (found) {
      const ownerReferences = pod && claimOwners(set, found, pod, isCondemned);
      if (!ownerReferences) continue;
      const metadata = { resourceVersion: found.metadata.resourceVersion, ownerReferences };
      await objects.merge(refOf(found), { metadata }, signal);
    } else if (!isCondemned) {
      await create(claim);
    }
  }

  async function create(claim: PersistentVolumeClaim): Promise<void> {
    const { name: setName } = set.metadata;
    const pod = `Pod ${setName}-${ordinal} in StatefulSet ${setName}`;
    const claimed = `Create Claim ${claim.metadata.name}`;
    try {
      await objects.create(claim, signal);
      events.event(set, 'Normal', 'SuccessfulCreate', `${claimed} ${pod} success`);
    } catch (error) {
      if (hasReason(error, 'AlreadyExists')) return;
      const message = errorMessage(error);
      events.event(set, 'Warning', 'FailedCreate', `${claimed} for ${pod} failed error: ${message}`);
      throw error;
    }
  }
}
