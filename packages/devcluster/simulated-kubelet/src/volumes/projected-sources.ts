import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { PodSpecFields, ProjectionFields } from '@slipway/kube-objects/kinds/pod-spec';

/** A part of a projected volume for which a kubelet waits before it starts a pod, and which it keeps up to date. */
export interface KeptSource extends Pick<ProjectionFields, 'clusterTrustBundle' | 'podCertificate'> {
  readonly volume: string;
  /** Among the sources of its volume. */
  readonly index: number;
}

/** The parts with trust bundles and certificates of a pod. */
export function keptSources({ spec }: Pod): readonly KeptSource[] {
  return ((spec as unknown as PodSpecFields).volumes ?? []).flatMap(({ name: volume = '', projected }) =>
    (projected?.sources ?? []).flatMap(({ clusterTrustBundle, podCertificate }, index) =>
      clusterTrustBundle || podCertificate
        ? [
            {
              volume,
              index,
              ...(clusterTrustBundle && { clusterTrustBundle }),
              ...(podCertificate && { podCertificate }),
            },
          ]
        : [],
    ),
  );
}
