import type { Kube, KubeObject, ResourceRef } from '@slipway/kube';
import { configMaps, secrets, serviceAccounts } from '@slipway/kube-objects/kinds/api/core';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { services } from '@slipway/kube-objects/kinds/api/services';
import type { ContainerFields, PodSpecFields, ProjectionFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { ContainerView } from './container-view.js';

/** What a program sees of its pod and namespace. */
export interface ProgramView {
  readonly view: ContainerView;
  /** Whether what it sees may change while it runs. */
  readonly changes: boolean;
  /** Fetches what has changed. */
  readonly refresh: () => Promise<void>;
}

/** Fetches what a container sees of its pod's namespace, as its kubelet does before it starts it. */
export async function programView(
  kube: Kube,
  pod: Pod,
  container: ContainerFields,
  run: string,
  place: Pick<ContainerView, 'disk' | 'network'>,
): Promise<ProgramView> {
  const { namespace = '' } = pod.metadata;
  const needed = namedIn(pod, container);
  let seen = { pod, objects: await fetchAll() };
  let revision = 0;
  const reached = await servicesFor(kube, pod);
  const view: ContainerView = {
    get pod() {
      return seen.pod;
    },
    container,
    run,
    ...place,
    clock: kube.clock,
    revision: () => revision,
    lookUp: (resource, name) => seen.objects.get(`${resource}/${name}`),
    services: () => reached,
    token: (seconds, audience) => podToken(kube, pod, seconds, audience),
  };
  return {
    view,
    changes: needed.changes,
    async refresh() {
      const fresh = await kube.resource(pods).find({ namespace, name: pod.metadata.name ?? '' });
      const isSamePod = fresh?.metadata.uid === pod.metadata.uid;
      seen = { pod: isSamePod && fresh ? fresh : seen.pod, objects: await fetchAll() };
      revision++;
    },
  };

  async function fetchAll(): Promise<ReadonlyMap<string, KubeObject>> {
    const found = new Map<string, KubeObject>();
    for (const [resource, names] of needed.names) {
      for (const name of names) {
        const space = resource.namespaced ? { namespace } : {};
        const object = await kube.resource(resource).find({ ...space, name });
        if (object) found.set(`${resource.plural}/${name}`, object);
      }
    }
    return found;
  }
}

async function servicesFor(kube: Kube, { metadata: { namespace = '' }, spec }: Pod): Promise<readonly KubeObject[]> {
  const client = kube.resource(services);
  const own = spec.enableServiceLinks === false ? [] : (await client.list({ namespace })).items;
  if (own.some(({ metadata }) => metadata.namespace === 'default' && metadata.name === 'kubernetes')) return own;
  const api = await client.find({ namespace: 'default', name: 'kubernetes' });
  return api ? [...own, api] : own;
}

/** The objects that a container sees through its variables and volumes. */
function namedIn(pod: Pod, container: ContainerFields) {
  const [maps, keys, ofNode] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const add = (names: Set<string>, name: string | undefined) => name && names.add(name);
  const addNode = () => add(ofNode, pod.spec.nodeName);
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    add(maps, configMapRef?.name);
    add(keys, secretRef?.name);
  }
  for (const { valueFrom } of container.env ?? []) {
    add(maps, valueFrom?.configMapKeyRef?.name);
    add(keys, valueFrom?.secretKeyRef?.name);
    if (valueFrom?.resourceFieldRef) addNode();
  }
  const mounted = new Set((container.volumeMounts ?? []).map(({ name }) => name));
  let changes = false;
  for (const { name, configMap, secret, downwardAPI, projected } of (pod.spec as unknown as PodSpecFields).volumes ??
    []) {
    if (!mounted.has(name)) continue;
    const sources: readonly ProjectionFields[] = projected?.sources ?? [];
    for (const source of sources) {
      add(maps, source.configMap?.name);
      add(keys, source.secret?.name);
    }
    add(maps, configMap?.name);
    add(keys, secret?.secretName);
    const hasPod = downwardAPI ?? sources.some((source) => source.downwardAPI);
    if (hasPod) addNode();
    changes ||= Boolean(configMap ?? secret ?? (hasPod || sources.some((source) => source.configMap ?? source.secret)));
  }
  const names = [
    [configMaps, maps],
    [secrets, keys],
    [nodes, ofNode],
  ] as readonly (readonly [ResourceRef, ReadonlySet<string>])[];
  return { names, changes };
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
