import type { KubeObject } from '@slipway/kube';
import type { RealKubernetes } from './real-kubernetes.js';

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

/** Leases are renewed, and nodes report; of both only their existence and their metadata count. */
function normalized({ metadata, status, ...object }: KubeObject): object {
  const { managedFields: _fields, resourceVersion: _version, ...kept } = metadata;
  if (object.kind === 'Lease') return { metadata: kept };
  return { ...object, metadata: kept, ...(object.kind !== 'Node' && { status }) };
}
