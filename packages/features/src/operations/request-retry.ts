import { type Kube, timestamp } from '@slipway/kube';
import type { Feature } from '../api/feature.js';
import { workOf } from '../lifecycle/maintenance.js';
import { mergeSpec } from '../rbac/own-author.js';
import { ChangeRefusedError } from './change-refused.js';

/**
 * Asks the feature server to try the task at work again at once, instead of when its backoff is over.
 * @throws ChangeRefusedError when no task is at work.
 */
export async function requestRetry(kube: Kube, feature: Feature, signal?: AbortSignal): Promise<Feature> {
  const { metadata, spec, status } = feature;
  if (!workOf(status)?.tasks[0]) {
    throw new ChangeRefusedError(
      'NothingToRetry',
      `no task of ${spec.gate} is at work, so there is nothing to try again`,
    );
  }
  const { name = '', namespace, uid } = metadata;
  const retry = `${timestamp(kube.clock.now())}-${metadata.resourceVersion ?? ''}`.slice(0, 64);
  return mergeSpec(kube, { name, namespace }, { metadata: { uid }, spec: { retry } }, signal);
}
