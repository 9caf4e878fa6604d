import { type DiscoveredResource, type Kube, type KubeObject, StatusError, sameJson } from '@slipway/kube';
import { group, labels } from '../api/group.js';

/** What a cluster holds, without what changes by itself: objects by `resource namespace/name`. */
export type Snapshot = ReadonlyMap<string, unknown>;

/** Resources that say what happens rather than what is wanted. */
const passing = new Set([
  'events',
  'events.events.k8s.io',
  'leases.coordination.k8s.io',
  'endpointslices.discovery.k8s.io',
  'endpoints',
]);

/** Everything that can be listed and deleted again, normalised. Reports of processes and our own bookkeeping are left out. */
export async function snapshot(kube: Kube, signal: AbortSignal): Promise<Snapshot> {
  const { resources } = await kube.discover(signal);
  const preferred = resources.filter(
    (resource, index) =>
      resource.verbs.includes('list') &&
      resource.verbs.includes('delete') &&
      resource.group !== group &&
      !passing.has(nameOf(resource)) &&
      resources.findIndex((other) => nameOf(other) === nameOf(resource)) === index,
  );
  const found = new Map<string, unknown>();
  for (const resource of preferred) {
    for (const object of await all(kube, resource, signal)) {
      if (isBookkeeping(object)) continue;
      const { namespace, name } = object.metadata;
      found.set(`${nameOf(resource)} ${namespace ? `${namespace}/` : ''}${name}`, normalised(object));
    }
  }
  return found;
}

/** Lists how `after` differs from `before`, one line per object. */
export function differences(before: Snapshot, after: Snapshot): readonly string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name) => {
    if (!before.has(name)) return [`${name} is new`];
    if (!after.has(name)) return [`${name} is gone`];
    return sameJson(before.get(name), after.get(name)) ? [] : [`${name} has changed`];
  });
}

async function all(kube: Kube, resource: DiscoveredResource, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = [];
  try {
    for await (const page of kube.resource(resource).pages({ signal })) objects.push(...page.items);
  } catch (error) {
    // A kind may go while it is read, and some kinds are not everybody's to read.
    if (!(error instanceof StatusError)) throw error;
  }
  return objects;
}

function normalised({ metadata, status: _status, ...object }: KubeObject): unknown {
  const { name, namespace, labels: labelled, annotations = {}, finalizers } = metadata;
  const kept = Object.entries(annotations).filter(([key]) => !key.startsWith(labels.hiddenFields));
  return {
    ...(object.kind === 'CustomResourceDefinition' ? withoutSchemas(object) : object),
    metadata: { name, namespace, labels: labelled, annotations: Object.fromEntries(kept), finalizers },
  };
}

/** What a CRD publishes depends on whether a feature is on: that is not a trace of its use. */
function withoutSchemas({ spec, ...object }: { readonly [field: string]: KubeObject['spec'] }): object {
  const versions = (spec.versions as object[]).map((version) => ({ ...version, schema: undefined }));
  return { ...object, spec: { ...spec, versions } };
}

/** Guards stay while a feature is off, backups until they are deleted, and rounds of reports go on counting. */
function isBookkeeping({ metadata: { name, labels: labelled = {} } }: KubeObject): boolean {
  return labels.guard in labelled || labels.backup in labelled || name === 'slipway-use-epoch';
}

function nameOf({ plural, group: of }: DiscoveredResource): string {
  return of === '' ? plural : `${plural}.${of}`;
}
