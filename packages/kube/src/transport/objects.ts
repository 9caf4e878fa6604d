/**
 * Objects as they are on the wire. Fields this version does not know are kept:
 * reading, changing and writing back loses nothing a newer server added.
 */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  // biome-ignore lint/suspicious/noExplicitAny: an object of an open-ended API has fields of any type
  [field: string]: any;
}

/** metadata of every object: `ObjectMeta` of meta/v1. Times are RFC 3339 strings. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: unknown[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** A condition of `status.conditions`, as meta/v1 has it. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  observedGeneration?: number;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

/** Which object: a name, and a namespace unless the kind is cluster-scoped. */
export interface ObjectRef {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** Which resource: what a client must know of a kind to talk about it. `T` is the type of its objects. */
export interface ResourceRef<T extends KubeObject = KubeObject> {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Plural, as in the path. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never set; carries the type of the objects. */
  readonly object?: T;
}

/** `v1` for the core group, `apps/v1` for others. */
export function apiVersionOf(resource: Pick<ResourceRef, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** A name that no object can have, and that would lead a request to another one. */
export class ObjectNameError extends RangeError {
  override readonly name = 'ObjectNameError';
}

/**
 * Path of a resource's collection, or of one object of it: `/apis/apps/v1/namespaces/a/deployments/b`.
 * @throws ObjectNameError for a name or namespace that is empty, `.` or `..`: HTTP clients take the last two as steps
 * to another path, escaped or not.
 */
export function pathOf(resource: ResourceRef, namespace?: string, name?: string, subresource?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = resource.namespaced && namespace ? `/namespaces/${pathSegment(namespace)}` : '';
  const object = name === undefined ? '' : `/${pathSegment(name)}`;
  return `${root}${scope}/${resource.plural}${object}${subresource ? `/${subresource}` : ''}`;
}

/** @throws ObjectNameError */
function pathSegment(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new ObjectNameError(`${JSON.stringify(name)} cannot be the name of an object`);
  return encodeURIComponent(name);
}

/** `namespace/name`, or `name` for a cluster-scoped object: the key of work queues and caches. */
export function keyOf(object: { metadata: ObjectMeta }): string {
  const { namespace, name = '' } = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}

/** The opposite of `keyOf`. */
export function refOfKey(key: string): ObjectRef {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
