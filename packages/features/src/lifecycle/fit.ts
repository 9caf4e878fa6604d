import type { FeatureStatus } from '../api/feature.js';

/** Most that a status may weigh. Hundreds of features are listed at once. */
const mostBytes = 16 * 1024;

/**
 * The status within its limit: samples of processes go first, then samples of
 * objects, then history. Tasks never go: what was persisted of them must not be lost.
 */
export function fitted(status: FeatureStatus): FeatureStatus {
  const cuts: ((status: FeatureStatus) => FeatureStatus)[] = [
    ({ uses, ...rest }) =>
      uses ? { ...rest, uses: { ...uses, components: uses.components.map((one) => ({ ...one, samples: [] })) } } : rest,
    ({ dangling, ...rest }) => (dangling ? { ...rest, dangling: { ...dangling, samples: [] } } : rest),
    ({ history: _history, ...rest }) => rest,
  ];
  let fit = status;
  for (const cut of cuts) {
    if (JSON.stringify(fit).length <= mostBytes) return fit;
    fit = cut(fit);
  }
  return fit;
}
