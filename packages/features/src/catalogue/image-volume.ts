import { type DefinedFeature, defineFeature, waitForNoObjects } from './define-feature.js';

const field = { group: '', resource: 'pods', path: 'spec.volumes[*].image' } as const;
const templates = [
  ['apps', 'deployments'],
  ['apps', 'statefulsets'],
  ['apps', 'daemonsets'],
  ['batch', 'jobs'],
] as const;

/**
 * KEP-4639: images as volumes of pods. The fourth story of KEP-3920: nothing can be
 * taken out of a running pod, so turning it off waits until people have removed the
 * pods, and what would make new ones; meanwhile kubelets keep mounting.
 */
export function imageVolume(options: { readonly dynamic?: 'Never' | 'Live' } = {}): DefinedFeature {
  const message = 'Remove the volume from what makes the pods; pods go with it';
  const inTemplates = templates.map(([group, resource]) => ({
    group,
    resource,
    path: 'spec.template.spec.volumes[*].image',
  }));
  const held = [...inTemplates, field].map((reference) =>
    waitForNoObjects({ ...reference, message }, { name: `WaitForNo-${reference.resource}`, phase: 'BeforePublish' }),
  );
  return defineFeature({
    gate: 'ImageVolume',
    scope: 'Cluster',
    stages: [
      { version: '1.31', stage: 'Alpha', default: false },
      { version: '1.33', stage: 'Beta', default: false },
      { version: '1.35', stage: 'Beta', default: true },
      { version: '1.36', stage: 'GA', default: true, locked: true },
    ],
    components: [
      { name: 'kube-apiserver', required: true, roster: 'APIServers' },
      { name: 'kubelet', required: true, roster: 'Nodes' },
    ],
    dynamic: options.dynamic ?? 'Never',
    disable: 'Supported',
    references: [field, ...inTemplates],
    tasks: { off: held },
    exercise: [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'image-volume', namespace: 'default' },
        spec: {
          containers: [
            {
              name: 'main',
              image: 'registry.k8s.io/pause:3.10',
              volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true }],
            },
          ],
          volumes: [{ name: 'data', image: { reference: 'registry.k8s.io/pause:3.10', pullPolicy: 'IfNotPresent' } }],
        },
      },
    ],
  });
}
