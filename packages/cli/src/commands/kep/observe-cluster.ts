import { Feature, isNotInstalled } from '@slipway/features';
import { type ClusterView, type GateView, gatesOnPage, type NotSeen, readExposition, type Seen } from '@slipway/kep';
import {
  failureStatus,
  type Kube,
  type KubeObject,
  mapConcurrently,
  parseJson,
  type ResourceRef,
  StatusError,
} from '@slipway/kube';

/** What was seen of a cluster, and what it says it is. */
export interface Observation {
  readonly view: ClusterView;
  /** `v1.34.1` */
  readonly serverVersion: string;
  /** The control plane is our own simulation. */
  readonly simulated: boolean;
}

interface Event extends KubeObject {
  readonly reason?: string;
}

const events: ResourceRef<Event> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };
const maxEvents = 2_000;
const documentsAtOnce = 4;
const notAsked: NotSeen = { seen: false, why: 'no claim is about a field' };

/**
 * Looks at a cluster with read requests only: its version, what it serves, its metrics page, the features that
 * are announced there, recent events. What it may not see, or what is not served, is said and not guessed.
 */
export async function observeCluster(
  kube: Kube,
  wanted: { readonly fields: boolean },
  signal: AbortSignal,
): Promise<Observation> {
  const version = (await json(kube, '/version', signal)) as { gitVersion?: string; platform?: string };
  const page = await seen('the metrics page of the API server', () => text(kube, '/metrics', signal));
  const [features, eventReasons, openApi, kinds] = await Promise.all([
    seen('features', () => gatesOfFeatures(kube, signal)),
    seen('events', () => reasons(kube, signal)),
    wanted.fields ? seen('OpenAPI documents', () => openApiDocuments(kube, signal)) : notAsked,
    seen('the discovery documents', () => servedKinds(kube, signal)),
  ]);
  const { gitVersion = '' } = version;
  return {
    serverVersion: gitVersion.replace(/[+-].*$/, ''),
    simulated: /slipway|devcluster/i.test(gitVersion),
    view: {
      gates: gatesOf(features, page),
      metrics: page.seen ? { seen: true, value: readExposition(page.value) } : page,
      kinds,
      eventReasons,
      openApi,
    },
  };
}

/**
 * The documents of version 3, one for each group. In version 2 Kubernetes leaves out the fields of custom resources below
 * what preserves unknown ones; it is read where version 3 is not served.
 */
async function openApiDocuments(kube: Kube, signal: AbortSignal): Promise<readonly unknown[]> {
  let index: { readonly paths?: Readonly<Record<string, { readonly serverRelativeURL: string }>> };
  try {
    index = (await json(kube, '/openapi/v3', signal)) as typeof index;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
    return [await json(kube, '/openapi/v2', signal)];
  }
  const documents = Object.values(index.paths ?? {}).map(({ serverRelativeURL }) => serverRelativeURL);
  return await mapConcurrently(documents, documentsAtOnce, (path) => json(kube, path, signal));
}

/** A request that may be refused: no right to it, or nothing there. Other failures end the run. */
async function seen<T>(what: string, request: () => Promise<T>): Promise<Seen<T>> {
  try {
    return { seen: true, value: await request() };
  } catch (error) {
    if (isNotInstalled(error)) return { seen: false, why: `${what}: not served by this cluster` };
    if (!(error instanceof StatusError)) throw error;
    return { seen: false, why: `${what}: ${error.message}` };
  }
}

async function text(kube: Kube, path: string, signal: AbortSignal): Promise<string> {
  const { status, body } = await kube.transport.request({ method: 'GET', path, signal });
  if (status !== 200) throw refusal(path, status, body);
  return typeof body === 'string' ? body : JSON.stringify(body);
}

async function json(kube: Kube, path: string, signal: AbortSignal): Promise<unknown> {
  const { status, body } = await kube.transport.request({ method: 'GET', path, signal });
  if (status !== 200) throw refusal(path, status, body);
  if (typeof body !== 'string') return body;
  // Kubernetes serves the list of OpenAPI documents as plain text.
  try {
    return parseJson(body);
  } catch {
    throw refusal(path, status, body);
  }
}

function refusal(path: string, code: number, body: unknown): StatusError {
  const said = typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : `status ${code}`;
  return new StatusError(failureStatus({ code, message: `${path}: ${said}` }));
}

async function servedKinds(kube: Kube, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { resources } = await kube.discover(signal);
  return new Set(
    resources.flatMap(({ kind, group, version }) => [kind, group === '' ? version : `${group}/${version}`]),
  );
}

async function reasons(kube: Kube, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { items } = await kube.resource(events).list({ limit: maxEvents, signal });
  return new Set(items.flatMap(({ reason }) => reason ?? []));
}

async function gatesOfFeatures(kube: Kube, signal: AbortSignal): Promise<ReadonlyMap<string, GateView>> {
  const { items } = await kube.resource(Feature).list({ signal });
  return new Map(
    items.map(({ spec, status }) => {
      const reporting = (status?.uses?.components ?? []).filter(({ on, off }) => on + off > 0);
      const stage = status?.effective?.stage.toLowerCase();
      return [
        spec.gate,
        { stage: stage === 'ga' ? 'stable' : stage, components: new Set(reporting.map(({ name }) => name)) },
      ];
    }),
  );
}

/** Gates from features, and those that the API server itself tells of. */
function gatesOf(features: Seen<ReadonlyMap<string, GateView>>, page: Seen<string>): ClusterView['gates'] {
  const series = page.seen ? gatesOnPage(page.value) : [];
  if (!features.seen && series.length === 0) return page.seen ? features : page;
  const found = new Map<string, GateView>(features.seen ? features.value : []);
  for (const { gate, stage } of series) {
    const known = found.get(gate);
    const components = new Set([...(known?.components ?? []), 'kube-apiserver']);
    found.set(gate, { stage: known?.stage ?? (stage === '' ? 'stable' : stage.toLowerCase()), components });
  }
  return { seen: true, value: found };
}
