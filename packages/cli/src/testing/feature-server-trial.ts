import type { Cluster } from '@slipway/devcluster';
import { createFeatureGate, epochConfigMap } from '@slipway/feature-gates';
import {
  apiVersion,
  Feature,
  FeatureDefinition,
  featureManifests,
  featureServer,
  installFeatureCrds,
  installReporterRole,
  labels,
  maxUnavailableStatefulSet,
  openApiV3,
  previewChange,
  requestChange,
  rightsOf,
  serverAccount,
  serverNamespace,
  type Target,
} from '@slipway/features';
import { type Kube, type KubeObject, type ObjectRef, type ResourceRef, sleep, type Transport } from '@slipway/kube';
import { ClusterObjects } from '../installation/cluster-objects.js';
import { grantServerRights, serverUser } from '../local-cluster/server-rights.js';
import type { RightsTrial } from './missing-rights.js';

const system = 'kube-system';
const shop = 'shop';
const [stateful, plain] = [maxUnavailableStatefulSet({ dynamic: 'Live' }), openApiV3({ dynamic: 'Live' })];
const used = { namespace: system, name: 'maxunavailablestatefulset' };
const declared = { namespace: system, name: 'openapiv3' };
const forgotten = { namespace: system, name: 'longago' };
const own = { namespace: shop, name: 'shopgate' };

/** Returns the roles of a feature server, with what `slipway feature rbac` prints for the feature of the trial. */
export function featureServerRoles(): readonly KubeObject[] {
  return [...featureManifests(), ...rightsOf(stateful.object).objects].filter(
    ({ kind, metadata: { name = '' } }) =>
      kind.endsWith('Role') && (name === serverAccount.name || name.startsWith('slipway-feature:')),
  );
}

/**
 * Prepares a cluster whose time is stepped for trials of the feature server. Its work is a feature that is turned on,
 * used and turned off, another in a namespace of users, and all that a server cleans up.
 */
export async function featureServerTrial(cluster: Cluster, signal: AbortSignal): Promise<RightsTrial> {
  const admin = cluster.kube();
  await Promise.all([
    installFeatureCrds(admin, signal),
    installReporterRole(admin, signal),
    grantServerRights(admin, undefined, signal),
  ]);
  const objects = await ClusterObjects.of(admin, signal);
  for (const object of rightsOf(stateful.object).objects) await objects.apply(object);
  await objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: shop } });
  await objects.apply(shopPod);
  await objects.apply(shopDefinition);
  cluster.startReporting();
  const gate = createFeatureGate({ component: 'shop', version: '1.0' });
  gate.add({ ShopGate: [{ version: '1.0', stage: 'Alpha', default: false }] });
  gate.declareLive('ShopGate');
  const reporting = gate.startReporting({
    transport: admin.transport,
    namespace: shop,
    instance: 'shop-1',
    dynamicFeatures: ['*'],
    clock: cluster.clock,
  });
  cluster.beforeStop(() => reporting.stop());
  return {
    admin,
    pass: (ms) => cluster.advance(ms),
    process: (log) => {
      const kube = cluster.kube(serverUser).through((transport) => raced(transport, admin));
      const guard = { settleMs: 500, apiServers: () => [kube] };
      return featureServer({
        kube,
        identity: 'trial',
        definitions: [stateful, plain],
        allowDynamic: ['*'],
        guard,
        log,
      });
    },
    prepare: () => leaveWork(admin, objects, signal),
    work: (until) => work(admin, objects, until),
    shown: async () => {
      const [features, events] = await Promise.all([
        admin.resource(Feature).list({}),
        admin.resource(resource('v1', 'Event', 'events')).list({}),
      ]);
      const messages = events.items.map((event) => String(event.message));
      return JSON.stringify([features.items.map(({ status }) => status), messages]);
    },
  };
}

function work(admin: Kube, objects: ClusterObjects, signal: AbortSignal): Readonly<Record<string, Promise<void>>> {
  const until = untilTrue(admin, signal);
  const find = (ref: ObjectRef) => admin.resource(Feature).find(ref, signal);
  const definitionOf = (ref: ObjectRef) => admin.resource(FeatureDefinition).find(ref, signal);
  const turn = async (ref: ObjectRef, to: Target) => {
    await until(async () => (await definitionOf(ref))?.status !== undefined && (await find(ref)) !== undefined);
    const feature = await admin.resource(Feature).get(ref, signal);
    await requestChange(admin, await previewChange(admin, feature, to, signal), { consent: true, signal });
    await until(async () => (await find(ref))?.status?.state === to);
  };
  const turnUsed = async () => {
    await turn(used, 'On');
    await admin.resource(Feature).merge(used, { spec: { pace: { pageSize: 1 } } }, { signal });
    for (const name of ['one', 'two']) await objects.apply(statefulSet(name));
    await turn(used, 'Off');
    await turn(used, 'On');
  };
  const turnOwn = async () => {
    // The same events a second time are counted up.
    for (const to of ['On', 'Off', 'On', 'Off'] as const) await turn(own, to);
  };
  const retired = async () => (await find(forgotten)) === undefined && (await definitionOf(forgotten)) === undefined;
  return {
    'turning a feature with state': turnUsed(),
    'turning a feature of a namespace': turnOwn(),
    'declaring a reported gate': until(
      async () => (await find(declared))?.metadata.labels?.[labels.discovered] === undefined,
    ),
    'updating definitions': until(
      async () => (await definitionOf(declared))?.spec.disable === plain.object.spec.disable,
    ),
    'retiring features': until(retired),
    'deleting old leases': until(async () => (await admin.resource(Lease).find(stoppedLease, signal)) === undefined),
    'expiring backups': until(async () => (await admin.resource(Secret).find(expiredBackup, signal)) === undefined),
  };
}

/** Leaves what a server has to write, to change or to delete. */
async function leaveWork(admin: Kube, objects: ClusterObjects, signal: AbortSignal): Promise<void> {
  const gone = async (kind: ResourceRef, ref: ObjectRef) => {
    await admin
      .resource(kind)
      .delete(ref, { signal })
      .catch(() => {});
  };
  const leases = await admin.resource(Lease).list({ namespace: serverNamespace });
  for (const { metadata } of leases.items) await gone(Lease, { namespace: serverNamespace, name: metadata.name ?? '' });
  await gone(resource('v1', 'ConfigMap', 'configmaps'), { namespace: shop, name: epochConfigMap });
  for (const kind of [GuardBinding, Guard]) {
    const guards = await admin.resource(kind).list({ labelSelector: labels.guard });
    for (const { metadata } of guards.items) await gone(kind, { name: metadata.name ?? '' });
  }
  for (const name of ['one', 'two']) await gone(StatefulSet, { namespace: 'default', name });
  await gone(FeatureDefinition, used);
  for (const ref of [used, own, declared, forgotten]) await gone(Feature, ref);
  const serverLabels = { 'features.slipway.dev/component': 'feature-server' };
  await objects.apply({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...stoppedLease, labels: serverLabels },
    spec: {},
  });
  await objects.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...expiredBackup,
      labels: { [labels.backup]: used.name, [labels.transition]: 't', [labels.backupNamespace]: system },
      annotations: { [labels.backupExpires]: '2020-01-01T00:00:00Z' },
    },
  });
  const builtIn = { [labels.builtIn]: 'true' };
  const components = [{ name: 'kube-apiserver', required: false, roster: 'Self' }];
  const old = { apiVersion, kind: 'FeatureDefinition', spec: { gate: 'LongAgo', scope: 'Cluster', components } };
  await objects.apply({ ...old, metadata: { ...forgotten, labels: builtIn } });
  await objects.apply({ apiVersion, kind: 'Feature', metadata: forgotten, spec: { gate: 'LongAgo' } });
  await admin.resource(Feature).mergeStatus(forgotten, { status: { state: 'Off', lastKnownVersion: '1.20' } });
  const reported = { [labels.discovered]: 'true' };
  await objects.apply({
    apiVersion,
    kind: 'Feature',
    metadata: { ...declared, labels: reported },
    spec: { gate: 'OpenAPIV3' },
  });
  const changed = { ...plain.object, metadata: { ...plain.object.metadata, labels: builtIn } };
  await objects.apply({ ...changed, spec: { ...changed.spec, disable: 'Unsupported' } });
}

/** Has another client write each status and each stateful set just before the server does for the first time. */
function raced(transport: Transport, admin: Kube): Transport {
  const met = new Set<string>();
  const isRaced = /(features\/shopgate)\/status|(statefulsets\/one)\b/;
  return {
    stream: (request, signal) => transport.stream(request, signal),
    async request(request) {
      const [, feature, set] = isRaced.exec(request.path) ?? [];
      const which = feature ?? set;
      if (request.method === 'PATCH' && which !== undefined && !met.has(which)) {
        met.add(which);
        const metadata = { annotations: { 'example.com/race': String(admin.clock.now()) } };
        if (feature) await admin.resource(Feature).merge(own, { metadata });
        else await admin.resource(StatefulSet).merge({ namespace: 'default', name: 'one' }, { metadata });
      }
      return await transport.request(request);
    },
  };
}

function untilTrue({ clock }: Kube, signal: AbortSignal) {
  return async (isTrue: () => Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await sleep(clock, 250, signal);
  };
}

function resource(version: string, kind: string, plural: string, group = ''): ResourceRef {
  return { group, version, kind, plural, namespaced: true };
}

const Lease = resource('v1', 'Lease', 'leases', 'coordination.k8s.io');
const Secret = resource('v1', 'Secret', 'secrets');
const StatefulSet = resource('v1', 'StatefulSet', 'statefulsets', 'apps');
const admission = 'admissionregistration.k8s.io';
const Guard = {
  ...resource('v1', 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', admission),
  namespaced: false,
};
const GuardBinding = {
  ...resource('v1', 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', admission),
  namespaced: false,
};
const stoppedLease = { namespace: serverNamespace, name: 'slipway-server-stopped' };
const expiredBackup = { namespace: serverNamespace, name: `${system}.${used.name}-t-0` };
const shopPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'shop-1', namespace: shop, labels: { app: 'shop' } },
  spec: { nodeName: 'n1', containers: [{ name: 'shop', image: 'shop' }] },
};
const shopDefinition = {
  apiVersion,
  kind: 'FeatureDefinition',
  metadata: own,
  spec: {
    gate: 'ShopGate',
    dynamic: 'Live',
    disable: 'Supported',
    components: [{ name: 'shop', required: true, roster: 'Pods', selector: 'app=shop' }],
  },
};

function statefulSet(name: string): KubeObject {
  const [example] = stateful.object.spec.exercise ?? [];
  if (!example) throw new Error('the feature has no example');
  return { ...example, metadata: { ...example.metadata, name, namespace: 'default' } };
}
