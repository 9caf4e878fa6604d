import { vectorName } from '@slipway/feature-gates';
import { type Kube, Kube as KubeClient, type KubeObject, type KubeRequest, type Transport } from '@slipway/kube';
import { type InMemoryApi, inMemoryApi, ManualClock } from '@slipway/kube/testing';
import type { Feature } from '../api/feature.js';
import { apiVersion, serverNamespace } from '../api/group.js';
import { leaseRefOf, renewLease } from '../leadership/server-lease.js';
import { Lease } from '../uses/watch-rosters.js';
import { aFeatureUse } from './a-feature-use.js';

/** A process that reports one gate, and follows its published value unless it is pinned. */
export interface SimulatedProcess {
  readonly component: string;
  readonly instance: string;
  readonly gate: string;
  value: boolean;
  /** Set by its own flag. */
  pinned: boolean;
  /** Has stopped to report. */
  silent?: boolean;
}

/** A small cluster for tests: an API server in memory, stateful sets, and processes that report. */
export interface TestCluster {
  readonly api: InMemoryApi;
  readonly clock: ManualClock;
  readonly kube: Kube;
  /** Another client of the same API, whose requests pass `before` first. */
  client(before?: (request: KubeRequest) => void | Promise<void>): Kube;
  /** What stands in for what processes do between two moments: follow, and report when something is new. */
  processes(...processes: SimulatedProcess[]): void;
  feature(name: string, namespace?: string): Feature | undefined;
  statefulSets(): readonly KubeObject[];
  /** Lets time pass in steps until `isSo`; fails after `withinMs`. */
  until(isSo: () => boolean, withinMs?: number): Promise<void>;
}

export const statefulSets = { group: 'apps', plural: 'statefulsets' };
const namespace = 'kube-system';

export function aCluster(
  options: {
    readonly sets?: number;
    readonly users?: number;
    /** Serves ValidatingAdmissionPolicies, which refuse nothing by themselves. */
    readonly guards?: boolean;
    /** Serves StorageVersionMigrations, which are not carried out. */
    readonly migrations?: boolean;
  } = {},
): TestCluster {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const { sets = 0, users = 0, guards = false, migrations = false } = options;
  const served = { guards, migrations };
  for (let index = 0; index < sets; index++) api.seed(statefulSets, aStatefulSet(index, index < users));
  const running: SimulatedProcess[] = [];
  const reported = new Map<SimulatedProcess, string>();

  const cluster: TestCluster = {
    api,
    clock,
    kube: new KubeClient(withDiscovery(api, served), { clock }),
    client: (before) => new KubeClient(withDiscovery(api, served, before), { clock }),
    processes: (...processes) => void running.push(...processes),
    feature: (name, where = namespace) => stored<Feature>(api, 'features', where, name),
    statefulSets: () => api.stored(statefulSets),
    async until(isSo, withinMs = 60_000) {
      for (let passedMs = 0; !isSo(); passedMs += 50) {
        if (passedMs > withinMs) throw new Error(`not so after ${withinMs} ms: ${isSo}`);
        for (const process of running) if (!process.silent) follow(api, process, reported);
        await clock.advance(50);
      }
    },
  };
  return cluster;
}

/** Does something while the lease of a feature server says that one lives, though none runs. */
export async function asIfServed<T>({ kube }: TestCluster, run: () => Promise<T>): Promise<T> {
  const ref = leaseRefOf('stand-in', serverNamespace);
  const server = { holder: 'stand-in', version: '0', catalogue: '0', known: '' };
  await renewLease(kube, ref, server, new AbortController().signal);
  const result = await run();
  await kube.resource(Lease).delete(ref);
  return result;
}

export function aStatefulSet(index: number, usesField: boolean): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: `set-${String(index).padStart(4, '0')}`, namespace: 'default', generation: 1 },
    spec: {
      replicas: 1,
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: { partition: 0, ...(usesField && { maxUnavailable: 2 }) },
      },
    },
  };
}

/** What a process would have done by now: taken the published value, and reported if that or the round is new. */
function follow(api: InMemoryApi, process: SimulatedProcess, reported: Map<SimulatedProcess, string>): void {
  const { component, instance, gate } = process;
  const published = stored<Feature>(api, 'features', namespace, gate.toLowerCase())?.status?.published;
  if (published && !process.pinned) process.value = published.value;
  const configMap = stored(api, 'configmaps', namespace, 'slipway-use-epoch');
  const epoch = Number((configMap?.data as Record<string, string> | undefined)?.epoch ?? 0);
  const gates = [
    { name: gate, enabled: process.value, default: false, stage: 'Alpha', ...(process.pinned && { set: true }) },
  ];
  const vector = { component, binaryVersion: '1.34.0', gates };
  const state = JSON.stringify([vector, epoch]);
  if (reported.get(process) === state) return;
  reported.set(process, state);
  const group = 'features.slipway.dev';
  const name = vectorName(vector);
  if (!stored(api, 'featurevectors', namespace, name, group)) {
    api.seed(
      { group, plural: 'featurevectors' },
      { apiVersion, kind: 'FeatureVector', metadata: { name, namespace }, spec: vector },
    );
  }
  const renewTime = `${reported.size}-${state.length}-${epoch}`;
  const use = aFeatureUse({ component, instance, vector: name, epoch, renewTime });
  api.seed({ group, plural: 'featureuses' }, use);
}

function stored<T extends KubeObject = KubeObject>(
  api: InMemoryApi,
  plural: string,
  where: string,
  name: string,
  group = plural === 'configmaps' ? '' : 'features.slipway.dev',
): T | undefined {
  const found = api
    .stored({ group, plural })
    .find(({ metadata }) => metadata.namespace === where && metadata.name === name);
  return found as T | undefined;
}

/** The API in memory knows no discovery; this adds what the tests need. */
function withDiscovery(
  api: Transport,
  { guards, migrations }: { readonly guards: boolean; readonly migrations: boolean },
  before?: (request: KubeRequest) => void | Promise<void>,
): Transport {
  const resource = (plural: string, kind: string) => ({
    resource: plural,
    responseKind: { group: 'apps', version: 'v1', kind },
    scope: 'Namespaced',
    singularResource: kind.toLowerCase(),
    verbs: ['list', 'patch'],
  });
  const clusterWide = (plural: string, kind: string) => ({ ...resource(plural, kind), scope: 'Cluster' });
  const policies = [
    clusterWide('validatingadmissionpolicies', 'ValidatingAdmissionPolicy'),
    clusterWide('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding'),
  ];
  const svm = clusterWide('storageversionmigrations', 'StorageVersionMigration');
  const groups = [
    { metadata: { name: 'apps' }, versions: [{ version: 'v1', resources: [resource('statefulsets', 'StatefulSet')] }] },
    ...(guards
      ? [{ metadata: { name: 'admissionregistration.k8s.io' }, versions: [{ version: 'v1', resources: policies }] }]
      : []),
    ...(migrations
      ? [{ metadata: { name: 'storagemigration.k8s.io' }, versions: [{ version: 'v1', resources: [svm] }] }]
      : []),
    { metadata: { name: 'acme.io' }, versions: [{ version: 'v1', resources: [resource('widgets', 'Widget')] }] },
  ];
  return {
    async request(request) {
      await before?.(request);
      if (request.path !== '/api' && request.path !== '/apis') return api.request(request);
      const items = request.path === '/apis' ? groups : [];
      return { status: 200, headers: {}, body: { kind: 'APIGroupDiscoveryList', items } };
    },
    async *stream(request, signal) {
      await before?.(request);
      yield* api.stream(request, signal);
    },
  };
}
