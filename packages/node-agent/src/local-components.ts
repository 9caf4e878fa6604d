import {
  fetchComponentPage,
  fetchConfiguredGates,
  fetchSetGates,
  type PageAccess,
  readComponentFlags,
  singleBinary,
} from '@slipway/features/adapters';
import { type Access, DenialLog, type Kube, type KubeObject, type Logger, type ResourceRef } from '@slipway/kube';
import { pullsComponent } from './pulls/pull-limit-gate.js';
import type { LocalComponent } from './watch-component.js';

/** Ports of components on this machine, by their name. */
export type Ports = Readonly<Record<string, number>>;

/** Where Kubernetes has its components listen. The kubelet's port stands in its Node. */
const usualPorts = {
  kubelet: 10_250,
  'kube-proxy': 10_249,
  'kube-scheduler': 10_259,
  'kube-controller-manager': 10_257,
} as const;

export interface LocalComponentsOptions {
  readonly kube: Kube;
  readonly access: Access;
  readonly node: string;
  readonly object: KubeObject;
  readonly ports?: Ports | undefined;
  readonly componentAuthority?: string | undefined;
  readonly pullsSocket?: string | undefined;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * Lists the components that may run on a node, with the addresses of their pages. Where all of Kubernetes is one
 * process, that is the only one.
 */
export async function localComponents(options: LocalComponentsOptions): Promise<readonly LocalComponent[]> {
  const { kube, node, object, ports, pullsSocket, signal } = options;
  const denials = new DenialLog(options.log);
  const port = (component: keyof typeof usualPorts) => ports?.[component] ?? usualPorts[component];
  const secure = (number: number): PageAccess => ({ server: `https://127.0.0.1:${number}`, ...proofOf(options) });
  const declared: unknown = object.status?.daemonEndpoints?.kubeletEndpoint?.Port;
  const kubeletPort = ports?.kubelet ?? (typeof declared === 'number' ? declared : usualPorts.kubelet);
  const kubelet = secure(kubeletPort);
  const pulls: LocalComponent[] =
    pullsSocket === undefined ? [] : [{ component: pullsComponent, access: plain(`unix:${pullsSocket}`) }];
  const ofKubelet: LocalComponent = {
    component: 'kubelet',
    access: kubelet,
    setGates: (fetching) => fetchConfiguredGates(kubelet, fetching),
  };
  const single = await singleBinaryOf(kubelet, object, kube, signal);
  if (single !== undefined) return [{ ...ofKubelet, component: single }, ...pulls];
  const controlPlane = (['kube-scheduler', 'kube-controller-manager'] as const).map((component): LocalComponent => {
    const access = secure(port(component));
    return {
      component,
      access,
      setGates: async (fetching) =>
        (await fetchSetGates(access, fetching)) ?? (await gatesOfStaticPod({ kube, denials }, component, node, signal)),
    };
  });
  const proxy = { component: 'kube-proxy', access: plain(`http://127.0.0.1:${port('kube-proxy')}`) };
  return [ofKubelet, proxy, ...controlPlane, ...pulls];
}

function plain(server: string): PageAccess {
  return { server, credentials: async () => ({}) };
}

/** Shows the components what the API server is shown. Their certificates are often their own: without an authority they are not checked. */
function proofOf({ access, componentAuthority }: LocalComponentsOptions): Pick<PageAccess, 'credentials'> {
  const trust = componentAuthority === undefined ? { insecure: true } : { ca: componentAuthority };
  return {
    async credentials() {
      const { cert, key, headers } = await access.credentials();
      return { ...(cert && { cert }), ...(key && { key }), ...(headers && { headers }), ...trust };
    },
  };
}

async function singleBinaryOf(
  kubelet: PageAccess,
  { metadata }: KubeObject,
  { clock }: Kube,
  signal: AbortSignal,
): Promise<string | undefined> {
  const page = await fetchComponentPage(kubelet, { clock, signal }).catch(() => undefined);
  const isControlPlane = metadata.labels?.['node-role.kubernetes.io/control-plane'] !== undefined;
  return singleBinary(page?.binaryVersion ?? '', isControlPlane);
}

const Pod: ResourceRef = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

/** Flags of a component that runs as a static pod, from the mirror pod that the kubelet shows for it. */
async function gatesOfStaticPod(
  { kube, denials }: { readonly kube: Kube; readonly denials: DenialLog },
  component: string,
  node: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, boolean> | undefined> {
  const ref = { namespace: 'kube-system', name: `${component}-${node}` };
  const pod = await kube
    .resource(Pod)
    .find(ref, signal)
    .catch((error: unknown) => denials.report('the flags of static pods are not known', error));
  const containers: readonly { command?: string[]; args?: string[] }[] | undefined = pod?.spec?.containers;
  if (!containers) return undefined;
  return readComponentFlags(containers.flatMap(({ command = [], args = [] }) => [...command, ...args])).featureGates;
}
