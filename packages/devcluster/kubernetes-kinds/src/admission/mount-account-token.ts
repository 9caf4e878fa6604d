import type { PodSpecFields, VolumeFields } from '@slipway/kube-objects/kinds/pod-spec';

const volumePrefix = 'kube-api-access-';
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/** An hour and seven seconds. By the odd number Kubernetes recognizes tokens that were mounted by default. */
const expirationSeconds = 3607;

/**
 * Mounts what a container needs to call the API server where it looks for it: a token, the certificate to know the
 * server by, and its namespace. A container that has something of its own at that path is left alone.
 */
export function mountAccountToken(spec: PodSpecFields, suffix: () => string): void {
  const there = spec.volumes?.find(({ name }) => name?.startsWith(volumePrefix));
  const name = there?.name ?? `${volumePrefix}${suffix()}`;
  let isMounted = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some((mount) => mount.mountPath === mountPath)) continue;
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath }];
    isMounted = true;
  }
  if (isMounted && !there) spec.volumes = [...(spec.volumes ?? []), accountVolume(name)];
}

function accountVolume(name: string): VolumeFields {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}
