import type { DefinedFeature } from './define-feature.js';
import { maxUnavailableStatefulSet } from './max-unavailable-stateful-set.js';

/** Every definition that comes with this package; see `maxUnavailableStatefulSet` for `dynamic`. */
export function builtInDefinitions(options: { readonly dynamic?: 'Never' | 'Live' } = {}): readonly DefinedFeature[] {
  return [maxUnavailableStatefulSet(options)];
}
