import { clearField, type DefinedFeature, defineFeature } from './define-feature.js';

const field = {
  group: 'apps',
  resource: 'statefulsets',
  path: 'spec.updateStrategy.rollingUpdate.maxUnavailable',
} as const;

/**
 * KEP-961: how many pods of a stateful set may be replaced at once. The headline
 * case of KEP-3920: the API server keeps values stored while the gate was on, so
 * turning it on again would bring old ones back to life.
 *
 * `dynamic: 'Live'` is for clusters whose components take values from the API.
 */
export function maxUnavailableStatefulSet(options: { readonly dynamic?: 'Never' | 'Live' } = {}): DefinedFeature {
  return defineFeature({
    gate: 'MaxUnavailableStatefulSet',
    scope: 'Cluster',
    stages: [
      { version: '1.24', stage: 'Alpha', default: false },
      { version: '1.35', stage: 'Beta', default: false },
      { version: '1.37', stage: 'Beta', default: true },
    ],
    components: [
      { name: 'kube-apiserver', required: true, roster: 'APIServers' },
      { name: 'kube-controller-manager', required: true, roster: 'Leases', lease: 'kube-controller-manager' },
    ],
    dynamic: options.dynamic ?? 'Never',
    disable: 'Supported',
    cleanup: 'Manual',
    // While the gate is on, the API server sets 1 in every stateful set, which is what happens without the field.
    references: [{ ...field, default: 1 }],
    tasks: { off: [clearField(field)] },
    exercise: [
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'max-unavailable', namespace: 'default' },
        spec: {
          replicas: 3,
          serviceName: 'max-unavailable',
          selector: { matchLabels: { app: 'max-unavailable' } },
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
          template: {
            metadata: { labels: { app: 'max-unavailable' } },
            spec: { containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }] },
          },
        },
      },
    ],
  });
}
