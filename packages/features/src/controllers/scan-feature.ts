import { hasReason, type Kube } from '@slipway/kube';
import type { Dangling, Feature } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { reachOf } from '../api/scope.js';
import { at } from '../lifecycle/transition.js';
import { scanReferences } from '../references/scan.js';
import { paceOf } from '../tasks/pace.js';
import { waivedObjects } from '../uses/waivers.js';
import { rightsRemedy } from './rights-remedy.js';

/** Scans for objects that use a feature that is off. If this server may not list them, the result says so. */
export async function scanFeature(
  kube: Kube,
  feature: Feature,
  { references = [], ...definition }: FeatureDefinitionSpec,
  signal: AbortSignal,
): Promise<Dangling> {
  const { pageSize } = paceOf(feature.spec);
  const nowMs = kube.clock.now();
  const waived = waivedObjects(feature.spec.waivers, nowMs);
  const namespace = reachOf(definition, feature.metadata.namespace);
  try {
    return await scanReferences({ kube, references, namespace, pageSize, nowMs, signal, waived });
  } catch (error) {
    if (!hasReason(error, 'Forbidden')) throw error;
    return notScanned(`${error.message}; ${rightsRemedy(feature)}`, nowMs);
  }
}

/** The result of a scan that was not done, with the reason as a note of at most 512 characters. */
export function notScanned(note: string, nowMs: number): Dangling {
  return { count: 0, complete: false, scannedAt: at(nowMs), samples: [], note: note.slice(0, 512) };
}
