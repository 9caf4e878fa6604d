import type { Kube } from '@slipway/kube';
import type { Feature, Mode } from '../api/feature.js';
import { FeatureDefinition } from '../api/feature-definition.js';
import { reaches, settable } from '../lifecycle/steering.js';
import { ChangeRefusedError } from './change-refused.js';
import { mergeSpec } from './own-author.js';

/**
 * Hands a feature back to flags: to those of each component, or to that of the authority
 * alone, which the others take when they start.
 * @throws ChangeRefusedError (NotDynamic) when somebody who must agree to that does not.
 */
export async function requestMode(
  kube: Kube,
  { metadata, spec, status }: Feature,
  mode: Exclude<Mode, 'Dynamic'>,
  signal?: AbortSignal,
): Promise<Feature> {
  const ref = { name: metadata.name ?? '', namespace: metadata.namespace };
  const definition = (await kube.resource(FeatureDefinition).find(ref, signal))?.spec;
  const may = status?.settable ?? settable({ gate: spec.gate, definition, config: undefined, isAllowed: true });
  if (!reaches(may, mode)) {
    throw new ChangeRefusedError('NotDynamic', `${spec.gate} cannot have mode ${mode}: ${may.why}`);
  }
  return mergeSpec(kube, ref, { spec: { mode, desired: 'Unmanaged' } }, signal);
}
