import type { Side } from './side.js';

/** Workloads, and what belongs to them. */
export const workloadKinds =
  'deployments,replicasets,statefulsets,daemonsets,controllerrevisions,jobs,cronjobs,pods,services,endpointslices,poddisruptionbudgets,persistentvolumeclaims';
/** What each server, each moment and each run has of its own. */
const own = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'generation',
  'observedGeneration',
  // When pods became ready is told in another moment at each side.
  'endpoints.kubernetes.io/last-change-trigger-time',
]);
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const address = /"10\.(?:1|96)\.\d+\.\d+"/g;
const tokenVolume = /kube-api-access-\w{5}/g;
const drawn = /-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

type Value = { [key: string]: Value } & Value[];

/** The objects of some kinds in a namespace without what differs between two clusters by nature, sorted. */
export async function comparableObjects(side: Side, namespace: string, kinds: string): Promise<readonly unknown[]> {
  const { stdout } = await side.kubectl(['get', kinds, '-n', namespace, '-o', 'json']);
  const { items } = JSON.parse(stdout) as { items: Value[] };
  const names = namesOf(items);
  // In fields and in messages.
  const text = [...names].reduce(
    (all, [name, means]) => all.replace(new RegExp(`(?<=["/])${name}(?=[":, ])`, 'g'), means),
    JSON.stringify(items),
  );
  const shown = hashesOf(items).reduce((all, [hash, means]) => all.replaceAll(hash, means), text);
  const neutral = shown
    .replace(time, '<time>')
    .replace(uid, '<uid>')
    .replace(address, '"<address>"')
    .replace(tokenVolume, 'kube-api-access');
  const objects = (JSON.parse(neutral) as Value[]).filter(({ kind }) => String(kind) !== 'ControllerRevision');
  return objects.map(sorted).sort(byText);
}

/** Names that a server has drawn, and what they stand for. */
function namesOf(items: readonly Value[]): ReadonlyMap<string, string> {
  const drawnNames = items.flatMap(({ metadata, status }): [string, string][] => {
    const [name, prefix] = [String(metadata?.name), metadata?.generateName];
    // A pod that ended still names claims that were deleted.
    const claims = status?.resourceClaimStatuses?.map((one: Value) => String(one.resourceClaimName)) ?? [];
    return [
      ...(prefix !== undefined && drawn.test(name) ? [[name, `${prefix}<drawn>`] as [string, string]] : []),
      ...claims.map((claim): [string, string] => [claim, claim.replace(drawn, '-<drawn>')]),
    ];
  });
  return new Map(drawnNames);
}

/** Hashes of templates, which Kubernetes takes of its Go structs, and the templates they stand for. */
function hashesOf(items: readonly Value[]): [string, string][] {
  return items.flatMap(({ kind, metadata, spec, data }): [string, string][] => {
    if (String(kind) === 'ReplicaSet') {
      const { 'pod-template-hash': hash, ...labels } = (metadata?.labels ?? {}) as Record<string, unknown>;
      return [[String(hash), `<${JSON.stringify([labels, images(spec?.template)]).replace(/\W+/g, '_')}>`]];
    }
    if (String(kind) !== 'ControllerRevision') return [];
    const hash = String(metadata?.name).split('-').at(-1) ?? '';
    return [[hash, `<${JSON.stringify(images(data?.spec?.template)).replace(/\W+/g, '_')}>`]];
  });
}

function images(template: Value | undefined): unknown {
  return template?.spec?.containers?.map(({ image, env }: Value) => [image, env]);
}

/** Without `own` and empty annotations, lists of conditions and endpoints in one order. */
function sorted(value: Value): Value {
  if (Array.isArray(value)) return value.map(sorted).sort(byKey) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value as Record<string, Value>)
    .filter(([key]) => !own.has(key))
    .map(([key, field]): [string, Value] => [key, sorted(field)])
    .filter(([key, field]) => key !== 'annotations' || Object.keys(field).length > 0);
  return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1))) as Value;
}

function byKey(one: Value, other: Value): number {
  const isListed = (value: Value) =>
    typeof value === 'object' && value !== null && ('type' in value || 'addresses' in value);
  return isListed(one) && isListed(other) ? byText(one, other) : 0;
}

function byText(one: unknown, other: unknown): number {
  const [first, second] = [JSON.stringify(one), JSON.stringify(other)];
  return first < second ? -1 : first > second ? 1 : 0;
}
