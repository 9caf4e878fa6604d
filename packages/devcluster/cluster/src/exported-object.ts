import type { KubeObject, ObjectMeta } from '@slipway/kube';

/** Kinds that a cluster writes about itself: applied elsewhere they would be wrong at once. */
const ownKinds = new Set(['Event', 'Lease', 'Node', 'Endpoints', 'EndpointSlice', 'ControllerRevision']);

/** Objects that every cluster makes for itself, in each namespace or in `default`. */
const ownNames = new Set(['ConfigMap/kube-root-ca.crt', 'ServiceAccount/default', 'Service/kubernetes']);

const ownNamespaces = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/** Who writes what a cluster makes for itself. */
const ownManagers: readonly string[] = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** Metadata that says what an object is, not what one cluster did with it. */
const keptMetadata: readonly (keyof ObjectMeta)[] = ['name', 'namespace', 'labels', 'annotations', 'finalizers'];

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const jobLabels = ['controller-uid', 'job-name', 'batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name'];

/**
 * The object as a user may have written it, for `kubectl apply` on another cluster; undefined for what clusters
 * make by themselves: what another object owns (its owner makes it anew), records, and the first objects of each.
 * @param installers who else wrote only what such a cluster has anyway, by the names of their field managers
 */
export function exportedObject(object: KubeObject, installers: readonly string[] = []): KubeObject | undefined {
  const { kind, metadata } = object;
  if (ownKinds.has(kind) || ownNames.has(`${kind}/${metadata.name}`)) return undefined;
  if (kind === 'Namespace' && ownNamespaces.has(metadata.name ?? '')) return undefined;
  if (metadata.ownerReferences?.some((owner) => owner.controller)) return undefined;
  if (metadata.labels?.['kubernetes.io/bootstrapping'] !== undefined) return undefined;
  if (isWrittenBy(metadata, [...ownManagers, ...installers])) return undefined;
  const { status: _, ...rest } = object;
  const kept = keptMetadata.flatMap((field) => (metadata[field] === undefined ? [] : [[field, metadata[field]]]));
  return withoutAllotted({ ...rest, metadata: withoutBookkeeping(Object.fromEntries(kept)) });
}

/** Whether other managers wrote nothing of it but its status. */
function isWrittenBy({ managedFields }: ObjectMeta, managers: readonly string[]): boolean {
  const entries = (managedFields ?? []) as readonly { readonly manager?: string; readonly subresource?: string }[];
  const writers = entries.filter(({ subresource }) => !subresource);
  return writers.length > 0 && writers.every(({ manager = '' }) => managers.includes(manager));
}

function withoutBookkeeping({ annotations = {}, ...metadata }: ObjectMeta): ObjectMeta {
  const { [lastApplied]: _, ...others } = annotations;
  return Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others };
}

/** Without what a cluster allotted: another one allots anew, and the same one does not change it. */
function withoutAllotted(object: KubeObject): KubeObject {
  const { spec } = object;
  if (typeof spec !== 'object' || spec === null) return object;
  switch (object.kind) {
    case 'Pod':
      return { ...object, spec: without(spec, ['nodeName']) };
    case 'Namespace':
      return without(object, ['spec']) as KubeObject;
    case 'Service':
      return spec.clusterIP === 'None' ? object : { ...object, spec: without(spec, ['clusterIP', 'clusterIPs']) };
    case 'Job':
      return spec.manualSelector ? object : { ...object, spec: withoutSelector(spec) };
    default:
      return object;
  }
}

/** The selector of a Job, and the labels that it selects, are made from its UID. */
function withoutSelector({ selector: _, template, ...spec }: KubeObject['spec']): KubeObject['spec'] {
  const { metadata } = template;
  const labels = without(metadata?.labels ?? {}, jobLabels);
  return { ...spec, template: { ...template, metadata: { ...metadata, labels } } };
}

function without(object: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}

/**
 * Sorts objects so that each comes after those it needs: definitions, namespaces, other cluster-scoped objects, the
 * rest.
 */
export function inApplyOrder(objects: readonly KubeObject[]): readonly KubeObject[] {
  const rank = ({ kind, metadata }: KubeObject) => {
    if (kind === 'CustomResourceDefinition') return 0;
    if (kind === 'Namespace') return 1;
    return metadata.namespace === undefined ? 2 : 3;
  };
  const name = ({ kind, metadata }: KubeObject) => `${metadata.namespace ?? ''}/${kind}/${metadata.name}`;
  return [...objects].sort((a, b) => rank(a) - rank(b) || (name(a) < name(b) ? -1 : 1));
}
