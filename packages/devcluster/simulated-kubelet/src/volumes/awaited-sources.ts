import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type {
  ContainerFields,
  PodSpecFields,
  ProjectionFields,
  VolumeFields,
} from '@slipway/kube-objects/kinds/pod-spec';

/** A part of a volume without which a kubelet does not start a pod. */
export interface AwaitedSource
  extends Pick<ProjectionFields, 'configMap' | 'secret' | 'clusterTrustBundle' | 'podCertificate'> {
  readonly volume: string;
  /** Among the sources of its volume. */
  readonly index: number;
}

/** Every namespace gets this ConfigMap by itself, and nearly every pod mounts it: it is not waited for. */
const rootCertificates = 'kube-root-ca.crt';

/** The parts that a pod waits for, of the volumes that its containers mount. */
export function awaitedSources({ spec }: Pod): readonly AwaitedSource[] {
  const { volumes } = spec as unknown as PodSpecFields;
  return (volumes ?? []).flatMap((volume) => {
    const awaited = sourcesOf(volume).flatMap((source, index) =>
      isAwaited(source) ? [{ ...source, volume: volume.name ?? '', index }] : [],
    );
    return awaited.length > 0 && isMounted(spec, volume.name) ? awaited : [];
  });
}

/** Whether the kubelet makes the files of a part and keeps them up to date; containers read the others by themselves. */
export function isKept({ clusterTrustBundle, podCertificate }: AwaitedSource): boolean {
  return clusterTrustBundle !== undefined || podCertificate !== undefined;
}

function sourcesOf({ configMap, secret, projected }: VolumeFields): readonly ProjectionFields[] {
  if (configMap) return [{ configMap }];
  if (!secret) return projected?.sources ?? [];
  const { secretName: name = '', ...fields } = secret;
  return [{ secret: { name, ...fields } }];
}

function isAwaited({ configMap, secret, clusterTrustBundle, podCertificate }: ProjectionFields): boolean {
  const object = configMap ?? secret;
  if (object) return !object.optional && configMap?.name !== rootCertificates;
  return clusterTrustBundle !== undefined || podCertificate !== undefined;
}

function isMounted(
  { initContainers, containers, ephemeralContainers }: Pod['spec'],
  volume: string | undefined,
): boolean {
  const all = [...(initContainers ?? []), ...containers, ...(ephemeralContainers ?? [])];
  return all.some((container) => {
    const { volumeMounts } = container as unknown as ContainerFields;
    return (volumeMounts ?? []).some(({ name }) => name === volume);
  });
}
