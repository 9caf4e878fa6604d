import type { DiscoveredResource, KubeObject } from '@slipway/kube';
import type { Dangling } from '../api/dangling.js';

/** Samples kept of a scan. */
export const maxSamples = 10;

/** Objects that hold a task up, as a scan that went no further than them; `path` is empty where the whole object is the use. */
export function danglingObjects(
  { group, plural }: Pick<DiscoveredResource, 'group' | 'plural'>,
  objects: readonly Pick<KubeObject, 'metadata'>[],
  {
    count = objects.length,
    path = '',
    nowMs,
  }: { readonly count?: number; readonly path?: string; readonly nowMs: number },
): Dangling {
  const resource = group === '' ? plural : `${plural}.${group}`;
  const samples = objects.slice(0, maxSamples).map(({ metadata: { name = '', namespace } }) => ({
    resource,
    ...(namespace !== undefined && { namespace }),
    name,
    path,
    managers: [],
    via: 'Spec' as const,
  }));
  return { count, complete: false, scannedAt: new Date(nowMs).toISOString(), samples };
}
