import type { KubeObject } from '@slipway/kube';
import { deprecatedNodeLabel } from './deprecated-node-labels.js';
import { type NodeTerm, nodeTermWarnings } from './node-term-warnings.js';
import { claimSpecWarnings } from './volume-warnings.js';

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';
const deprecatedAnnotations = {
  [classAnnotation]: 'deprecated since v1.8; use "storageClassName" attribute instead',
  'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
};

/** Sources of volumes that no longer work, where Kubernetes says that they are. */
const deprecatedSources = {
  cephfs: ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  photonPersistentDisk: ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  scaleIO: ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  storageos: ['storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  glusterfs: ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  rbd: ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
} as const;

/** Returns warnings about what is deprecated in a PersistentVolume. */
export function volumeObjectWarnings({ metadata, spec }: KubeObject): string[] {
  const terms: readonly NodeTerm[] = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return [
    ...Object.entries(deprecatedAnnotations).flatMap(([key, why]) =>
      metadata.annotations?.[key] === undefined ? [] : [`metadata.annotations[${key}]: ${why}`],
    ),
    ...(spec?.persistentVolumeReclaimPolicy === 'Recycle'
      ? [
          'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach ' +
            'is to use dynamic provisioning.',
        ]
      : []),
    ...terms.flatMap((term, index) =>
      nodeTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`, 'required'),
    ),
    ...Object.entries(deprecatedSources).flatMap(([source, [name, why]]) =>
      spec?.[source] ? [`spec.${name}: ${why}`] : [],
    ),
  ];
}

/** Returns warnings about a PersistentVolumeClaim: of a deprecated annotation, and of sizes that are not whole. */
export function claimWarnings({ metadata, spec }: KubeObject): string[] {
  const isOld = metadata.annotations?.[classAnnotation] !== undefined;
  return [
    ...(isOld ? [`metadata.annotations[${classAnnotation}]: ${deprecatedAnnotations[classAnnotation]}`] : []),
    ...claimSpecWarnings(spec ?? {}, 'spec'),
  ];
}

/** Returns warnings about the deprecated labels of nodes in a StorageClass. */
export function storageClassWarnings({ allowedTopologies }: KubeObject): string[] {
  const topologies: readonly { matchLabelExpressions?: readonly { key?: string }[] }[] = allowedTopologies ?? [];
  return topologies.flatMap(({ matchLabelExpressions }, index) =>
    (matchLabelExpressions ?? []).flatMap(({ key = '' }, place) => {
      const why = deprecatedNodeLabel(key);
      const at = `allowedTopologies[${index}].matchLabelExpressions[${place}].key`;
      return why === undefined ? [] : [`${at}: ${why}`];
    }),
  );
}
