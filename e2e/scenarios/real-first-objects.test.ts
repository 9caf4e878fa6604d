import { startCluster } from '@slipway/devcluster';
import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { realApiServer } from '../support/differential/real-api-server.js';
import { eventually } from '../support/slipway.js';

/** Made by controllers, by the operator of a cluster, or by neither (`docs/reference/parity.md`). */
const notCompared = new Set([
  ...['componentstatuses', 'configmaps', 'endpoints', 'endpointslices', 'events', 'ipaddresses', 'leases', 'nodes'],
  ...['pods', 'serviceaccounts', 'servicecidrs', 'storageclasses'],
]);
/** Our controllers read a pod again where those of Kubernetes patch it: rules beyond theirs. */
const rulesBeyond: Readonly<Record<string, number>> = {
  'system:controller:job-controller': 1,
  'system:controller:pod-garbage-collector': 2,
};
const serverFields = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields'];

type Get = (path: string) => Promise<unknown>;

// The roles, bindings, flows and other objects that an API server makes at its first start.
test('devcluster has the objects that the API server makes', { timeout: 300_000 }, async (context) => {
  needs(context, 'real Kubernetes');
  await using real = await realApiServer(process.env.SLIPWAY_REAL_KUBERNETES ?? '');
  const cluster = await startCluster({ nodes: 0, version: real.version });
  try {
    await cluster.ready();
    const { transport } = cluster.kube();
    const fromReal: Get = async (path) => JSON.parse((await real.send({ method: 'GET', path })).text);
    const fromOurs: Get = async (path) => (await transport.request({ method: 'GET', path })).body;
    await eventually('what is made after the start is there', async () => {
      const theirs = await firstObjects(fromReal);
      const own = await firstObjects(fromOurs, withoutRulesBeyond);
      expect(own).toEqual(theirs);
      return true;
    });
  } finally {
    await cluster.stop();
  }
});

/** All objects that are compared, by path, without those of Slipway. */
async function firstObjects(get: Get, asTheirs = (object: KubeObject) => object): Promise<Record<string, unknown>> {
  const all = (await listPaths(get)).map(async (path) => {
    const list = (await get(path)) as { kind: string; items: KubeObject[] };
    const kind = list.kind.replace(/List$/, '');
    const compared = list.items.filter((item) => !isOfSlipway(item)).map((item) => asTheirs({ ...item, kind }));
    return compared.map((item) => [`${path} ${nameOf(item)}`, comparable(item)]);
  });
  return Object.fromEntries((await Promise.all(all)).flat());
}

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

async function listPaths(get: Get): Promise<string[]> {
  const { groups } = (await get('/apis')) as { groups: { preferredVersion: { groupVersion: string } }[] };
  const versions = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const lists = versions
    .filter((version) => !/slipway|metrics\.k8s\.io/.test(version))
    .map(async (version) => {
      const { resources } = (await get(version)) as ResourceList;
      const listed = resources.filter(({ name, verbs }) => verbs.includes('list') && !notCompared.has(name));
      return listed.map(({ name }) => `${version}/${name}`);
    });
  return (await Promise.all(lists)).flat();
}

/** Mutating policies of 1.35 are served here without the flag that Kubernetes wants for them. */
const ours = /slipway|balloon|metrics\.k8s\.io|^kube-root-ca\.crt$|^v1(?:alpha|beta)1\.admissionregistration/;

function isOfSlipway(object: KubeObject): boolean {
  return ours.test(nameOf(object));
}

function nameOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Without what every server writes in its own way, and without rules that a controller has gathered. */
function comparable(object: KubeObject): unknown {
  const metadata = Object.fromEntries(Object.entries(object.metadata).filter(([key]) => !serverFields.includes(key)));
  const rules = object.aggregationRule ? { rules: null } : {};
  const { spec } = object;
  const ports = object.kind === 'Service' ? { spec: { ...spec, ports: spec.ports.map(withoutTarget) } } : {};
  return withoutTimes({ ...object, ...rules, ...ports, metadata });
}

/** The port of the API server is another in each run. */
function withoutTarget({ targetPort: _, ...port }: Record<string, unknown>): object {
  return port;
}

/** Where controllers of Kubernetes update, ours may patch as well. */
function withoutRulesBeyond(object: KubeObject): KubeObject {
  const { metadata, rules } = object;
  if (object.kind !== 'ClusterRole' || !metadata.name?.startsWith('system:controller:')) return object;
  const theirs: { verbs: string[] }[] = rules.slice(0, rules.length - (rulesBeyond[metadata.name] ?? 0));
  const verbsOf = (verbs: string[]) =>
    verbs.includes('update') && verbs.at(-1) === 'patch' ? verbs.slice(0, -1) : verbs;
  return { ...object, rules: theirs.map((rule) => ({ ...rule, verbs: verbsOf(rule.verbs) })) };
}

function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, /Time$/.test(key) ? '<time>' : withoutTimes(field)]),
  );
}
