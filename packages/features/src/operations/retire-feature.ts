import { findCondition, hasReason, type Kube, type ObjectRef } from '@slipway/kube';
import { Feature } from '../api/feature.js';
import { FeatureDefinition } from '../api/feature-definition.js';
import { labels } from '../api/group.js';

/** Which version of a Feature may go. */
export interface RetireCondition {
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Deletes an unknown Feature, and its definition if some server once put it
 * there. A server knows that such a definition alone does not make it announce the Feature again.
 * @throws StatusError Conflict when another client has written the Feature since.
 */
export async function retireFeature(
  kube: Kube,
  ref: ObjectRef,
  definition: FeatureDefinition | undefined,
  preconditions: RetireCondition,
  signal?: AbortSignal,
): Promise<void> {
  const definitions = kube.resource(FeatureDefinition);
  const isBuiltIn = definition?.metadata.labels?.[labels.builtIn] !== undefined;
  const ofDefinition = { preconditions: { resourceVersion: definition?.metadata.resourceVersion ?? '' }, signal };
  // Without its Feature a definition would not be tried again, so a missing right or another writer has to show before.
  if (isBuiltIn) await definitions.delete(ref, { ...ofDefinition, dryRun: true }).catch(unlessGone);
  await kube.resource(Feature).delete(ref, { preconditions, signal });
  if (isBuiltIn) await definitions.delete(ref, ofDefinition).catch(unlessGone);
}

function unlessGone(error: unknown): void {
  if (!hasReason(error, 'NotFound')) throw error;
}

/** Whether a Feature is unknown, and why the server keeps it nevertheless. */
export function whyKept(feature: Feature): { readonly isUnknown: boolean; readonly message: string } {
  const known = findCondition(feature.status?.conditions, 'Known');
  return { isUnknown: known?.reason === 'NotSeen', message: known?.message ?? 'no server has looked at it yet' };
}
