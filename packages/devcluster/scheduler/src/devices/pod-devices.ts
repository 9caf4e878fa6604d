import { hasReason, type Kube, keyOf, type Logger, refOf, removeFinalizer, timestamp } from '@slipway/kube';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import { type ExtendedResourceRequest, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { type Allocation, type ResourceClaim, resourceClaims } from '@slipway/kube-objects/kinds/api/resource-claims';
import type { Amounts } from '@slipway/kube-objects/rules/amounts';
import { claimDeleteProtection, consumerOf, isReservedFor } from '@slipway/kube-objects/rules/pod-resource-claims';
import { allocate } from './allocation.js';
import type { ClaimLedger } from './claim-ledger.js';
import { hasBindingConditions } from './device-binding.js';
import type { DeviceView } from './device-view.js';
import { deviceResources, extendedClaim } from './extended-resources.js';
import { claimsOf, unallocated } from './pod-claims.js';

/** A claim of a pod that gets a node, with the devices that were chosen for it; undefined when it has its devices. */
export interface ClaimChoice {
  readonly claim: ResourceClaim;
  readonly allocation: Allocation | undefined;
  /** Of a claim for extended resources, which is still to be made: which containers have its devices. */
  readonly mappings?: readonly ExtendedResourceRequest[];
}

/** Whether the devices that were chosen for a claim, or that it has, have to be prepared before its pod is bound. */
export function isPreparedLate({ claim, allocation }: ClaimChoice): boolean {
  return hasBindingConditions(allocation ? { status: { allocation } } : claim);
}

/** Chooses the devices of a pod for a node on which they can be had. They are taken until `writeChoices` has ended. */
export function chooseDevices(
  { pod, amounts }: { readonly pod: Pod; readonly amounts: Amounts },
  { node, allocatable }: { readonly node: Node; readonly allocatable: Amounts },
  view: DeviceView,
  ledger: ClaimLedger,
  newShareId: () => string,
): readonly ClaimChoice[] {
  const claims = claimsOf(pod, view);
  if (typeof claims === 'string') return [];
  const extended = extendedClaim(pod, allocatable, deviceResources(amounts, view.resourceClasses()));
  const missing = [...unallocated(claims), ...(extended ? [extended.claim] : [])];
  const allocations = missing.length === 0 ? [] : (allocate(missing, node, view, newShareId) ?? []);
  const choices: ClaimChoice[] = claims.map((claim) => ({ claim, allocation: allocations[missing.indexOf(claim)] }));
  if (extended) choices.push({ ...extended, allocation: allocations.at(-1) });
  for (const { claim, allocation } of choices) if (allocation) ledger.begin(claim, allocation);
  return choices;
}

export interface ChoiceDeps {
  readonly kube: Kube;
  readonly ledger: ClaimLedger;
  readonly log: Logger;
}

/**
 * Writes the devices of claims, and that the pod uses the claims, then calls `bind` with the claims. If that fails the pod uses them no
 * longer, but devices that were written stay with their claim.
 * @throws StatusError, or Error when a claim was deleted or allocated by another writer
 */
export async function writeChoices(
  { kube, ledger, log }: ChoiceDeps,
  pod: Pod,
  choices: readonly ClaimChoice[],
  signal: AbortSignal,
  bind: (claims: readonly ResourceClaim[]) => Promise<void>,
): Promise<void> {
  const reserved: ResourceClaim[] = [];
  const used: ResourceClaim[] = [];
  let made: ResourceClaim | undefined;
  try {
    for (const choice of choices) {
      if (isReservedFor(pod, choice.claim)) {
        used.push(choice.claim);
        continue;
      }
      const { mappings } = choice;
      if (mappings) {
        made = await makeClaim(kube, choice.claim, signal);
        ledger.made(choice.claim, made);
      }
      const written = await reserve(kube, pod, mappings && made ? { ...choice, claim: made } : choice, signal);
      ledger.wrote(written);
      reserved.push(written);
      if (mappings) await noteMappings(kube, pod, written.metadata.name ?? '', mappings, signal);
    }
    await bind([...used, ...reserved]);
  } catch (error) {
    await Promise.all(reserved.map((claim) => (claim.metadata.uid === made?.metadata.uid ? undefined : leave(claim))));
    if (made) await removeClaim({ kube, ledger, log }, made, signal);
    throw error;
  } finally {
    for (const { claim, allocation } of choices) if (allocation) ledger.end(claim);
    if (made) ledger.end(made);
  }

  async function leave(claim: ResourceClaim): Promise<void> {
    try {
      ledger.wrote(await withoutConsumer(kube, claim, pod, signal));
    } catch (error) {
      // The controller of claims removes the pod when that ends or is deleted.
      if (!signal.aborted && !hasReason(error, 'NotFound'))
        log.warn('a pod still counts as user of a claim', { claim: keyOf(claim), error });
    }
  }
}

function makeClaim(kube: Kube, { metadata, ...claim }: ResourceClaim, signal: AbortSignal): Promise<ResourceClaim> {
  const { name: _, uid: __, ...known } = metadata;
  return kube.resource(resourceClaims).create({ ...claim, metadata: known }, { signal });
}

async function noteMappings(
  kube: Kube,
  pod: Pod,
  resourceClaimName: string,
  requestMappings: readonly ExtendedResourceRequest[],
  signal: AbortSignal,
): Promise<void> {
  const status = { extendedResourceClaimStatus: { requestMappings, resourceClaimName } };
  await kube.resource(pods).mergeStatus(refOf(pod), { metadata: { uid: pod.metadata.uid }, status }, { signal });
}

/** Removes a claim that was made for extended resources of a pod which does not get its node after all. */
export async function removeClaim({ kube, log }: ChoiceDeps, claim: ResourceClaim, signal: AbortSignal): Promise<void> {
  const client = kube.resource(resourceClaims);
  const { uid = '' } = claim.metadata;
  try {
    await client.mutate(refOf(claim), (draft) => removeFinalizer(draft, claimDeleteProtection), { signal });
    await client.delete(refOf(claim), { preconditions: { uid }, signal });
  } catch (error) {
    // It is found again when the pod is tried again.
    if (!signal.aborted && !hasReason(error, 'NotFound'))
      log.warn('a claim for extended resources is left over', { claim: keyOf(claim), error });
  }
}

async function reserve(
  kube: Kube,
  pod: Pod,
  { claim, allocation }: ClaimChoice,
  signal: AbortSignal,
): Promise<ResourceClaim> {
  const client = kube.resource(resourceClaims);
  const check = (draft: ResourceClaim) => {
    const key = keyOf(claim);
    if (draft.metadata.uid !== claim.metadata.uid || draft.metadata.deletionTimestamp) {
      throw new Error(`claim ${key} got deleted in the meantime`);
    }
    const isOtherwise = Boolean(draft.status?.allocation) === Boolean(allocation);
    if (isOtherwise)
      throw new Error(`claim ${key} got ${allocation ? 'allocated' : 'deallocated'} elsewhere in the meantime`);
  };
  if (allocation) {
    const protect = (draft: ResourceClaim) => {
      check(draft);
      const { finalizers = [] } = draft.metadata;
      if (!finalizers.includes(claimDeleteProtection))
        draft.metadata.finalizers = [...finalizers, claimDeleteProtection];
    };
    await client.mutate(refOf(claim), protect, { signal });
  }
  const allocationTimestamp = timestamp(kube.clock.now());
  const use = (draft: ResourceClaim) => {
    check(draft);
    const reservedFor = [...(draft.status?.reservedFor ?? []), consumerOf(pod)];
    draft.status = {
      ...draft.status,
      ...(allocation && { allocation: { ...allocation, allocationTimestamp } }),
      reservedFor,
    };
  };
  return await client.mutate(refOf(claim), use, { subresource: 'status', signal });
}

function withoutConsumer(kube: Kube, claim: ResourceClaim, pod: Pod, signal: AbortSignal): Promise<ResourceClaim> {
  const leave = (draft: ResourceClaim) => {
    const reservedFor = draft.status?.reservedFor?.filter(({ uid }) => uid !== pod.metadata.uid) ?? [];
    draft.status = { ...draft.status, reservedFor };
  };
  return kube.resource(resourceClaims).mutate(refOf(claim), leave, { subresource: 'status', signal });
}

/** Frees the devices of a claim that no other pod uses. @throws StatusError */
export async function deallocate(
  { kube, ledger }: ChoiceDeps,
  claim: ResourceClaim,
  signal: AbortSignal,
): Promise<void> {
  const { allocation: _, reservedFor: __, devices: ___, ...status } = claim.status ?? {};
  ledger.wrote(await kube.resource(resourceClaims).replaceStatus({ ...claim, status }, { signal }));
}
