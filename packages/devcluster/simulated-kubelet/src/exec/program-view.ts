import type { Kube, KubeObject } from '@slipway/kube';
import { serviceAccounts } from '@slipway/kube-objects/kinds/api/core';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { services } from '@slipway/kube-objects/kinds/api/services';
import type { ContainerFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { ContainerView } from './container-view.js';
import { fetchNamed, namesInContainer } from './named-objects.js';

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
  const needed = namesInContainer(pod, container);
  const fetchAll = () => fetchNamed(kube, namespace, needed.names);
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
    lookUp: (resource, name) => seen.objects(resource, name),
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
}

async function servicesFor(kube: Kube, { metadata: { namespace = '' }, spec }: Pod): Promise<readonly KubeObject[]> {
  const client = kube.resource(services);
  const own = spec.enableServiceLinks === false ? [] : (await client.list({ namespace })).items;
  if (own.some(({ metadata }) => metadata.namespace === 'default' && metadata.name === 'kubernetes')) return own;
  const api = await client.find({ namespace: 'default', name: 'kubernetes' });
  return api ? [...own, api] : own;
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
