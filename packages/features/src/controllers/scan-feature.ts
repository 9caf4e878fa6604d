import { hasReason, type Kube, StatusError } from '@slipway/kube';
import type { Dangling } from '../api/dangling.js';
import type { Feature } from '../api/feature.js';
import type { FeatureDefinitionSpec, Reference } from '../api/feature-definition.js';
import { reachOf } from '../api/scope.js';
import { at } from '../lifecycle/transition.js';
import { waivedObjects } from '../lifecycle/waived-uses.js';
import { referencesOf } from '../references/embedding.js';
import type { CustomKinds } from '../references/read-custom-kinds.js';
import { scanReferences } from '../references/scan.js';
import { uncoveredFields, uncoveredInWords } from '../references/uncovered-kinds.js';
import { paceOf } from '../tasks/pace.js';
import { rightsRemedy } from './rights-remedy.js';

/** Scans for objects that use a feature that is off. If this server may not list them, the result says so. */
export async function scanFeature(
  kube: Kube,
  feature: Feature,
  definition: FeatureDefinitionSpec,
  { customKinds, signal }: { readonly customKinds: CustomKinds; readonly signal: AbortSignal },
): Promise<Dangling> {
  const references = referencesOf(definition);
  const { pageSize } = paceOf(feature.spec);
  const nowMs = kube.clock.now();
  const waived = waivedObjects(feature.spec.waivers, nowMs);
  const namespace = reachOf(definition, feature.metadata.namespace);
  try {
    const found = await scanReferences({ kube, references, namespace, pageSize, nowMs, signal, waived });
    const uncovered = references.length === 0 ? '' : await uncoveredBy(references, { kube, customKinds, signal });
    return uncovered === '' ? found : { ...found, uncovered };
  } catch (error) {
    if (!hasReason(error, 'Forbidden')) throw error;
    return notScanned(`${error.message}; ${rightsRemedy(feature)}`, nowMs);
  }
}

/** Says which custom kinds the references leave out, or why that is not known; an empty string when there are none. */
async function uncoveredBy(
  references: readonly Reference[],
  {
    kube,
    customKinds,
    signal,
  }: { readonly kube: Kube; readonly customKinds: CustomKinds; readonly signal: AbortSignal },
): Promise<string> {
  try {
    return uncoveredInWords(uncoveredFields(references, await customKinds.read(kube, signal)));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `which custom kinds embed the types is not known: ${error.message}`.slice(0, 512);
  }
}

/** The result of a scan that was not done, with the reason as a note of at most 512 characters. */
export function notScanned(note: string, nowMs: number): Dangling {
  return { count: 0, complete: false, scannedAt: at(nowMs), samples: [], note: note.slice(0, 512) };
}
