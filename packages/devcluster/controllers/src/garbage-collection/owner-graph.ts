import type { KubeObject, OwnerReference, ResourceRef } from '@slipway/kube';

/** One object as garbage collection sees it. */
export interface GraphNode {
  readonly resource: ResourceRef;
  /** Only its metadata matters. */
  readonly object: KubeObject;
}

/** Owners and their dependents, by UID. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();
  /** Those of the dependents that block a deletion in the foreground. */
  readonly #blockers = new Map<string, Set<string>>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** UIDs of the objects that name this one as an owner. */
  dependentsOf(uid: string): readonly string[] {
    return [...(this.#dependents.get(uid) ?? [])];
  }

  /** UIDs of the dependents that a deletion of this object in the foreground waits for. */
  blockersOf(uid: string): ReadonlySet<string> {
    return this.#blockers.get(uid) ?? none;
  }

  /** @returns UIDs of the owners that the object blocked until now and no longer does */
  put(node: GraphNode): readonly string[] {
    const { uid = '' } = node.object.metadata;
    const blocked = ownersOf(this.#nodes.get(uid)?.object).filter((owner) => this.blockersOf(owner.uid).has(uid));
    this.remove(uid);
    this.#nodes.set(uid, node);
    for (const owner of ownersOf(node.object)) {
      add(this.#dependents, owner.uid, uid);
      if (owner.blockOwnerDeletion) add(this.#blockers, owner.uid, uid);
    }
    return blocked.flatMap((owner) => (this.blockersOf(owner.uid).has(uid) ? [] : [owner.uid]));
  }

  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (!node) return;
    this.#nodes.delete(uid);
    for (const owner of ownersOf(node.object)) {
      remove(this.#dependents, owner.uid, uid);
      remove(this.#blockers, owner.uid, uid);
    }
  }

  /** Removes every object of a resource that is no longer served. */
  removeResource(resource: Pick<ResourceRef, 'group' | 'plural'>): void {
    for (const [uid, node] of this.#nodes) {
      if (node.resource.group === resource.group && node.resource.plural === resource.plural) this.remove(uid);
    }
  }
}

/** The finalizer of an owner that stays until its dependents are gone. */
export const foregroundFinalizer = 'foregroundDeletion';
/** The finalizer of an owner that stays until its dependents no longer name it. */
export const orphanFinalizer = 'orphan';

/** What is known of an owner. */
export type OwnerState =
  | 'there'
  | 'gone'
  /** Being deleted in the foreground: it only waits for its dependents to go. */
  | 'waiting'
  /** A namespaced owner in another namespace: such a reference never holds. */
  | 'elsewhere'
  /** Its kind is not served right now, so nothing can be said. */
  | 'unknown';

/** What to do with an object, given its owners. */
export type DependentAction =
  | { readonly kind: 'keep' }
  /** `inForeground`: an owner waits, so the object's own dependents must be gone before it is. */
  | { readonly kind: 'delete'; readonly inForeground: boolean }
  /** Some owners were deleted: remove their references; the other owners keep the object. */
  | { readonly kind: 'release'; readonly owners: OwnerReference[] }
  /** Decided again later. */
  | { readonly kind: 'undecided' };

/** An object is deleted when all its owners are. While the state of one is unknown, it is kept. */
export function decideDependent(object: KubeObject, stateOf: (owner: OwnerReference) => OwnerState): DependentAction {
  const owners = ownersOf(object);
  if (owners.length === 0 || object.metadata.deletionTimestamp) return { kind: 'keep' };
  const states = owners.map((owner) => ({ owner, state: stateOf(owner) }));
  if (states.some(({ state }) => state === 'unknown')) return { kind: 'undecided' };
  const left = states.filter(({ state }) => state === 'there').map(({ owner }) => owner);
  if (left.length === owners.length) return { kind: 'keep' };
  if (left.length > 0) return { kind: 'release', owners: left };
  return { kind: 'delete', inForeground: states.some(({ state }) => state === 'waiting') };
}

/** Whether the object is being deleted and `finalizer` holds it. */
export function isHeldBy({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers?.includes(finalizer) ?? false);
}

/** The owners an object names. */
export function ownersOf(object: KubeObject | undefined): readonly OwnerReference[] {
  return object?.metadata.ownerReferences ?? [];
}

/** Whether the reference of `dependent` to `owner` is valid: never to an object of another namespace. */
export function canOwn({ metadata: { namespace } }: KubeObject, dependent: KubeObject): boolean {
  return namespace === undefined || namespace === dependent.metadata.namespace;
}

const none: ReadonlySet<string> = new Set();

function add(sets: Map<string, Set<string>>, key: string, uid: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(uid));
}

function remove(sets: Map<string, Set<string>>, key: string, uid: string): void {
  const set = sets.get(key);
  set?.delete(uid);
  if (set?.size === 0) sets.delete(key);
}
