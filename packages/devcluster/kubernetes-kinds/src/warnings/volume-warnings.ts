import type { PodSpecFields } from '@slipway/kube-objects/kinds/pod-spec';
import { byteWarnings } from './amount-warnings.js';

/** Sources of volumes that no longer work, in the order in which Kubernetes looks at them. */
const sources = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};

/** Returns warnings about the volumes of a pod: of sources that no longer work, and of sizes that are not whole. */
export function volumeWarnings(volumes: PodSpecFields['volumes'], path: string): string[] {
  return (volumes ?? []).flatMap((volume, index) => {
    const fields = volume as unknown as Readonly<Record<string, unknown>>;
    const { ephemeral } = fields as { ephemeral?: { volumeClaimTemplate?: { spec?: ClaimSpec } } };
    const claim = ephemeral?.volumeClaimTemplate?.spec;
    const at = `${path}[${index}]`;
    return [
      ...Object.entries(sources).flatMap(([source, why]) =>
        // Where Kubernetes says that the source is.
        fields[source] ? [`${at}.${source === 'storageos' ? 'storageOS' : source}: ${why}`] : [],
      ),
      ...(claim ? claimSpecWarnings(claim, `${at}.ephemeral.volumeClaimTemplate.spec`) : []),
    ];
  });
}

interface ClaimSpec {
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
}

/** Returns warnings about sizes of a claim that are not whole. */
export function claimSpecWarnings({ resources }: ClaimSpec, path: string): string[] {
  return (['requests', 'limits'] as const).flatMap((part) =>
    byteWarnings(resources?.[part], ['storage'], `${path}.resources.${part}`),
  );
}
