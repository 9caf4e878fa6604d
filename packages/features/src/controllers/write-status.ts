import { type Kube, sameJson } from '@slipway/kube';
import { Feature, type FeatureStatus } from '../api/feature.js';

/**
 * Writes what changed of a status, provided that no other client has written the Feature
 * since it was read; nothing at all when nothing changed. What newer servers put
 * into the status stays.
 * @throws StatusError Conflict when another writer was faster.
 */
export async function writeStatus(
  kube: Kube,
  feature: Feature,
  status: FeatureStatus,
  signal?: AbortSignal,
): Promise<Feature> {
  const patch = difference(feature.status ?? {}, status);
  if (Object.keys(patch).length === 0) return feature;
  const { name = '', namespace, resourceVersion } = feature.metadata;
  const body = { metadata: { resourceVersion }, status: patch };
  return kube.resource(Feature).mergeStatus({ name, namespace }, body, { signal });
}

/** The JSON merge patch that makes `after` of `before`. */
export function difference(before: object, after: object): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  const old = before as Record<string, unknown>;
  const now = after as Record<string, unknown>;
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const [from, to] = [old[key], now[key]];
    if (to === undefined) {
      if (from !== undefined) patch[key] = null;
    } else if (isObject(from) && isObject(to)) {
      const inner = difference(from, to);
      if (Object.keys(inner).length > 0) patch[key] = inner;
    } else if (!sameJson(from, to)) {
      patch[key] = to;
    }
  }
  return patch;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
