import type { FeatureSpec, Pace } from '../api/feature.js';

/** Returns how fast the objects of a feature may be changed, with the defaults filled in. */
export function paceOf({ pace }: FeatureSpec): Pace {
  const qps = Math.max(1, pace?.qps ?? 20);
  return {
    qps,
    burst: Math.max(1, pace?.burst ?? qps * 2),
    pageSize: Math.max(1, pace?.pageSize ?? 500),
    inFlight: Math.max(1, pace?.inFlight ?? 5),
  };
}
