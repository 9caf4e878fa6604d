import type { DefinedFeature } from './define-feature.js';
import { imageVolume } from './image-volume.js';
import { maxUnavailableStatefulSet } from './max-unavailable-stateful-set.js';
import { nodeBalloons } from './node-balloons.js';
import { openApiV3 } from './open-api-v3.js';
import { parallelImagePullLimit } from './parallel-image-pull-limit.js';

/** Every definition that comes with this package. `dynamic: 'Live'` is for clusters whose components take values from the API. */
export function builtInDefinitions(options: { readonly dynamic?: 'Never' | 'Live' } = {}): readonly DefinedFeature[] {
  const upstream = [maxUnavailableStatefulSet(options), openApiV3(options), imageVolume(options)];
  return [...upstream, parallelImagePullLimit(), nodeBalloons(options)];
}
