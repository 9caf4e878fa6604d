import type { FeatureUse, FeatureUseSpec } from '../api/feature-use.js';
import { apiVersion, kubernetesNamespace } from '../api/group.js';

/** Returns what a process writes with a heartbeat: which it is, and the vector of its values. */
export function aFeatureUse(
  spec: Pick<FeatureUseSpec, 'component' | 'instance' | 'vector'> & Partial<FeatureUseSpec>,
  namespace = kubernetesNamespace,
): FeatureUse {
  return {
    apiVersion,
    kind: 'FeatureUse',
    metadata: { name: `${spec.component}.${spec.instance}`, namespace },
    spec: { incarnation: 'first', binaryVersion: '1.34.0', source: 'Library', leaseDurationSeconds: 900, ...spec },
  };
}
