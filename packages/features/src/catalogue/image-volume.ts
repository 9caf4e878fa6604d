import { embeddedFields } from '../references/embedding.js';
import { type DefinedFeature, defineFeature, waitForNoObjects } from './define-feature.js';

const field = { group: '', resource: 'pods', path: 'spec.volumes[*].image' } as const;

/**
 * KEP-4639: images as volumes of pods. The fourth story of KEP-3920: nothing can be
 * taken out of a running pod, so turning it off waits until people have removed the
 * pods, and what would make new ones; meanwhile kubelets keep mounting.
 */
export function imageVolume(options: { readonly dynamic?: 'Never' | 'Live' } = {}): DefinedFeature {
  const message = 'Remove the volume from what makes the pods; pods go with it';
  // What makes pods comes first: removing it takes its pods along.
  const [pods, ...templates] = embeddedFields(field);
  const references = [...templates, ...(pods ? [pods] : [])];
  const held = references.map((reference) =>
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
    references,
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
