import { type Access, type Kube, type KubeObject, type ResourceRef, StatusError } from '@slipway/kube';
import { addressesIn } from '../adapters/api-server-addresses.js';
import { readComponentFlags } from '../adapters/component-flags.js';
import type { ComponentPage } from '../adapters/component-page.js';
import { fetchComponentPage } from '../adapters/fetch-component.js';
import { PageError } from '../adapters/fetch-page.js';
import { kubernetesNamespace } from '../api/group.js';
import { Node, Pod } from '../references/core-resources.js';
import { type Sighting, type Survey, surveyOf } from './survey.js';

export interface SurveyOptions {
  readonly kube: Kube;
  /** How the cluster is reached: the same proof is shown to each API server. */
  readonly access: Access;
  readonly signal: AbortSignal;
  /** Reads a metrics page; over the network when absent. @throws PageError */
  readonly readPage?: (access: Access, signal: AbortSignal) => Promise<ComponentPage>;
}

/** An API server that cannot be reached from here does not say so. */
const patienceMs = 3_000;

const EndpointSlice: ResourceRef = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};

/**
 * Reads which gates a cluster has, on which nothing of ours is installed, with the rights of whoever asks:
 * metrics pages of API servers, flags in the mirror pods of the control plane, and what nodes declare. Writes
 * nothing, and says what it could not see.
 */
export async function surveyCluster(options: SurveyOptions): Promise<Survey> {
  const [servers, flags, nodes] = await Promise.all([apiServers(options), controlPlane(options), kubelets(options)]);
  const pages = [...servers.seen, ...nodes.seen];
  return surveyOf(pages, flags.seen, [...servers.unseen, ...flags.unseen, ...nodes.unseen]);
}

interface Looked {
  readonly seen: readonly Sighting[];
  readonly unseen: readonly string[];
}

/** Each API server by itself where that is possible; else the one that happens to answer. */
async function apiServers(options: SurveyOptions): Promise<Looked> {
  const { access } = options;
  const component = 'kube-apiserver';
  const slices = await listed(options, EndpointSlice, 'kubernetes.io/service-name=kubernetes', 'default');
  const addresses = addressesIn(slices.items);
  const direct = addresses.map((server) => ({
    server,
    credentials: async () => ({ ...(await access.credentials()), servername: 'kubernetes' }),
  }));
  const pages = await Promise.all(direct.map((one) => pageOf(options, one)));
  const seen = pages.flatMap((page) => (page instanceof PageError ? [] : [{ component, gates: page.gates }]));
  if (seen.length > 0) {
    const hidden = addresses.length - seen.length;
    return {
      seen,
      unseen: hidden > 0 ? [`${component}: ${hidden} of ${addresses.length} cannot be reached from here`] : [],
    };
  }
  const page = await pageOf(options, access);
  if (page instanceof PageError) {
    const why = page.status === 403 ? 'its metrics may not be read; the group system:monitoring may' : page.message;
    return { seen: [], unseen: [`${component}: ${why}`] };
  }
  const others = addresses.length > 1 ? `one of ${addresses.length}` : 'one of an unknown number';
  return {
    seen: [{ component, gates: page.gates }],
    unseen: [`${component}: only ${others} was read, through the shared address`],
  };
}

async function pageOf({ kube, signal, readPage }: SurveyOptions, access: Access): Promise<ComponentPage | PageError> {
  const late = new AbortController();
  const timer = kube.clock.after(patienceMs, () => late.abort(new PageError(`${access.server} does not answer`)));
  const either = AbortSignal.any([signal, late.signal]);
  try {
    const read = readPage ?? ((of, until) => fetchComponentPage(of, { clock: kube.clock, signal: until }));
    return await read(access, either);
  } catch (error) {
    if (error instanceof PageError) return error;
    throw error;
  } finally {
    timer.cancel();
  }
}

/** What the command lines of the control plane set, where its pods can be seen. */
async function controlPlane(options: SurveyOptions): Promise<Looked> {
  const pods = await listed(options, Pod, 'tier=control-plane', kubernetesNamespace);
  if (pods.refused) return { seen: [], unseen: [`flags of the control plane: ${pods.refused}`] };
  const processes = pods.items.flatMap(({ metadata, spec }) => {
    const [container] = (spec?.containers ?? []) as { command?: string[]; args?: string[] }[];
    const flags = readComponentFlags([...(container?.command ?? []), ...(container?.args ?? [])]);
    return [{ component: metadata.labels?.component ?? metadata.name ?? '', ...flags }];
  });
  const seen = processes.map(({ component, featureGates }) => ({
    component,
    gates: [...featureGates].map(([name, enabled]) => ({ name, enabled, set: true })),
  }));
  const unseen = ['kube-controller-manager', 'kube-scheduler'].map((component) => {
    const own = processes.filter((process) => process.component === component);
    if (own.length === 0) return `${component}: hidden; no pod of it can be seen`;
    const file = own.some(({ configFile }) => configFile !== undefined) ? ', and no file it is configured by' : '';
    return `${component}: only what its flags set${file}`;
  });
  return { seen, unseen };
}

/** What nodes declare of their own accord, from v1.35 on. */
async function kubelets(options: SurveyOptions): Promise<Looked> {
  const nodes = await listed(options, Node);
  if (nodes.refused) return { seen: [], unseen: [`kubelet: ${nodes.refused}`] };
  const declared = nodes.items.map(({ status }) => (status?.declaredFeatures ?? []) as string[]);
  const seen = declared.map((names) => ({
    component: 'kubelet',
    gates: names.map((name) => ({ name, enabled: true })),
  }));
  const silent = declared.filter((names) => names.length === 0).length;
  const what = silent === declared.length ? 'nothing' : `only what it declares, which ${silent} do not`;
  return {
    seen,
    unseen: [`kubelet, kube-proxy: ${what}, of ${declared.length} nodes; their pages are on their nodes`],
  };
}

/** Everything of a kind, or why not. */
async function listed(
  { kube, signal }: SurveyOptions,
  resource: ResourceRef,
  labelSelector?: string,
  namespace?: string,
): Promise<{ readonly items: readonly KubeObject[]; readonly refused?: string }> {
  const items: KubeObject[] = [];
  const selection = {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(namespace !== undefined && { namespace }),
  };
  try {
    for await (const page of kube.resource(resource).pages({ ...selection, signal })) items.push(...page.items);
    return { items };
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 403) throw error;
    return { items: [], refused: `${resource.plural} may not be listed` };
  }
}
