import type { Kube, KubeObject } from '@slipway/kube';
import { configMaps, secrets, serviceAccounts } from '../../kube-objects/kinds/api/core.js';
import type { Pod } from '../../kube-objects/kinds/api/pods.js';
import { services } from '../../kube-objects/kinds/api/services.js';
import type { ContainerFields, PodSpecFields, ProjectionFields } from '../../kube-objects/kinds/pod-spec.js';
import type { ContainerView } from './container-view.js';
import type { PodDisk } from './pod-disk.js';

/** Fetches what a container sees of its pod's namespace, as its kubelet does before it starts it. */
export async function programView(
  kube: Kube,
  pod: Pod,
  container: ContainerFields,
  run: string,
  disk: PodDisk,
): Promise<ContainerView> {
  const { namespace = '' } = pod.metadata;
  const known = new Map<string, KubeObject>();
  const fetch = async (resource: typeof configMaps | typeof secrets, names: ReadonlySet<string>) => {
    for (const name of names) {
      const object = await kube.resource(resource as typeof configMaps).find({ namespace, name });
      if (object) known.set(`${resource.plural}/${name}`, object);
    }
  };
  const needed = namedIn(pod, container);
  await fetch(configMaps, needed.configMaps);
  await fetch(secrets, needed.secrets);
  const reached: KubeObject[] = [];
  if (pod.spec.enableServiceLinks !== false) {
    reached.push(...(await kube.resource(services).list({ namespace })).items);
  }
  if (namespace !== 'default' || reached.length === 0) {
    const own = await kube.resource(services).find({ namespace: 'default', name: 'kubernetes' });
    if (own) reached.push(own);
  }
  return {
    pod,
    container,
    run,
    disk,
    clock: kube.clock,
    lookUp: (resource, name) => known.get(`${resource}/${name}`),
    services: () => reached,
    token: (seconds, audience) => podToken(kube, pod, seconds, audience),
  };
}

function namedIn(pod: Pod, container: ContainerFields) {
  const found = { configMaps: new Set<string>(), secrets: new Set<string>() };
  const addConfigMap = (ref: { name?: string } | undefined) => ref?.name && found.configMaps.add(ref.name);
  const addSecret = (name: string | undefined) => name && found.secrets.add(name);
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    addConfigMap(configMapRef);
    addSecret(secretRef?.name);
  }
  for (const { valueFrom } of container.env ?? []) {
    addConfigMap(valueFrom?.configMapKeyRef);
    addSecret(valueFrom?.secretKeyRef?.name);
  }
  const mounted = new Set((container.volumeMounts ?? []).map(({ name }) => name));
  for (const volume of (pod.spec as unknown as PodSpecFields).volumes ?? []) {
    if (!mounted.has(volume.name)) continue;
    const sources: readonly ProjectionFields[] = volume.projected?.sources ?? [];
    for (const { configMap, secret } of sources) {
      addConfigMap(configMap);
      addSecret(secret?.name);
    }
    addConfigMap(volume.configMap);
    addSecret(volume.secret?.secretName);
  }
  return found;
}

/** A token of the pod's service account that is valid as long as the pod is there. */
async function podToken(kube: Kube, pod: Pod, seconds: number, audience: string | undefined): Promise<string> {
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const account = pod.spec.serviceAccountName ?? 'default';
  const { plural } = serviceAccounts;
  const { body } = await kube.transport.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/${plural}/${account}/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        expirationSeconds: seconds,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
        ...(audience !== undefined && { audiences: [audience] }),
      },
    },
  });
  return (body as { status?: { token?: string } }).status?.token ?? '';
}
