import type { FeatureStatus } from '../api/feature.js';

/** Maximum size of a status in characters of JSON. Hundreds of features are listed at once. */
const maxBytes = 16 * 1024;

/**
 * Truncates a status to its limit: samples of processes are dropped first, then samples of
 * objects, then the history. Tasks are never dropped: their saved progress must not be lost.
 */
export function truncateStatus(status: FeatureStatus): FeatureStatus {
  const cuts: ((status: FeatureStatus) => FeatureStatus)[] = [
    ({ uses, ...rest }) =>
      uses ? { ...rest, uses: { ...uses, components: uses.components.map((one) => ({ ...one, samples: [] })) } } : rest,
    ({ dangling, ...rest }) => (dangling ? { ...rest, dangling: { ...dangling, samples: [] } } : rest),
    ({ history: _history, ...rest }) => rest,
  ];
  let fit = status;
  for (const cut of cuts) {
    if (JSON.stringify(fit).length <= maxBytes) return fit;
    fit = cut(fit);
  }
  return fit;
}
