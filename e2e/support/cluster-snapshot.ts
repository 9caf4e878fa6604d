import type { KubeObject } from '@slipway/kube';
import type { RealKubernetes } from './real-kubernetes.js';
import { eventually } from './slipway.js';

/** Every object of a cluster, by `Kind namespace/name`, without what changes by itself. */
export type ClusterSnapshot = ReadonlyMap<string, string>;

/** Resources that say what happens, or that say again what others hold. */
const passing = ['events', 'events.events.k8s.io', 'componentstatuses'];

/** Reads everything that can be listed. */
export async function clusterSnapshot({ kubectl }: RealKubernetes): Promise<ClusterSnapshot> {
  const listable = (await kubectl(['api-resources', '--verbs=list', '-o', 'name'])).stdout.trim().split('\n');
  const resources = listable.filter((name) => !passing.includes(name));
  const listed = await kubectl(['get', resources.join(','), '-A', '-o', 'json']);
  if (listed.code !== 0) throw new Error(`the cluster cannot be listed: ${listed.stderr}`);
  const { items } = JSON.parse(listed.stdout) as { readonly items: readonly KubeObject[] };
  return new Map(items.map((object) => [nameOf(object), JSON.stringify(normalized(object))]));
}

/** The same once controllers have filled in accounts, certificates and aggregated roles. */
export async function settledSnapshot(cluster: RealKubernetes): Promise<ClusterSnapshot> {
  let last: ClusterSnapshot = new Map();
  let unchanged = 0;
  await eventually(
    'nothing changes any more',
    async () => {
      const now = await clusterSnapshot(cluster);
      const isSame = now.has('ServiceAccount default/default') && differences(last, now).length === 0;
      unchanged = isSame ? unchanged + 1 : 0;
      last = now;
      return unchanged === 3;
    },
    180_000,
  );
  return last;
}

/** Lists how a cluster differs from what it was, one line per object. */
export function differences(before: ClusterSnapshot, after: ClusterSnapshot): readonly string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name) => {
    if (!before.has(name)) return [`${name} is new`];
    if (!after.has(name)) return [`${name} is gone`];
    return before.get(name) === after.get(name) ? [] : [`${name} has changed`];
  });
}

function nameOf({ kind, metadata: { name, namespace } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** Leases and addresses come and go with processes, and nodes report. */
function normalized({ metadata, status, ...object }: KubeObject): object {
  if (['Lease', 'EndpointSlice', 'Endpoints'].includes(object.kind)) return {};
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...kept } = metadata;
  return { ...object, metadata: kept, ...(object.kind !== 'Node' && { status }) };
}
