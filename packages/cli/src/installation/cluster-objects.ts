import { type DiscoveredResource, hasReason, installer, type Kube, type KubeObject, sameJson } from '@slipway/kube';

/** What would become of an object of ours. */
export interface PlannedObject {
  readonly action: 'create' | 'change' | 'keep';
  readonly object: KubeObject;
}

/** Names a kind, whatever its version. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector: string;
}

/** Objects of any kind on a cluster, which says itself what kinds it has. */
export class ClusterObjects {
  readonly #kube: Kube;
  readonly #signal: AbortSignal;
  #resources: readonly DiscoveredResource[] = [];

  private constructor(kube: Kube, signal: AbortSignal) {
    this.#kube = kube;
    this.#signal = signal;
  }

  static async of(kube: Kube, signal: AbortSignal): Promise<ClusterObjects> {
    const objects = new ClusterObjects(kube, signal);
    objects.#resources = (await kube.discover(signal)).resources;
    return objects;
  }

  /** What applying each object would do, without doing it. Objects of kinds that the cluster does not serve are created. */
  async plan(wanted: readonly KubeObject[]): Promise<readonly PlannedObject[]> {
    const planned: PlannedObject[] = [];
    for (const object of wanted) planned.push({ object, action: await this.#actionFor(object) });
    return planned;
  }

  /** Lists all objects of some kinds that a label selector selects. A kind that the cluster does not serve has none. */
  async listAll(kinds: readonly GroupKind[], labelSelector: string): Promise<readonly KubeObject[]> {
    const served = kinds.flatMap((wanted) => this.#resources.find((one) => isKind(one, wanted)) ?? []);
    const lists = await Promise.all(served.map((resource) => this.#list(resource, { labelSelector })));
    return lists.flat();
  }

  /** Lists all objects in a namespace that a label selector selects. */
  async listNamespace(namespace: string, labelSelector: string): Promise<readonly KubeObject[]> {
    const listed = this.#resources.filter(
      (resource, index) =>
        resource.namespaced &&
        resource.verbs.includes('list') &&
        this.#resources.findIndex((first) => isKind(first, resource)) === index,
    );
    const lists = await Promise.all(listed.map((resource) => this.#list(resource, { namespace, labelSelector })));
    return lists.flat();
  }

  /** Creates it or brings it to what is wanted, whoever wrote it before. */
  async apply(object: KubeObject, options: { readonly dryRun?: boolean } = {}): Promise<KubeObject> {
    const { name = '', ...metadata } = object.metadata;
    const applying = { ...options, fieldManager: installer, force: true, signal: this.#signal };
    return await this.#clientOf(object).apply({ ...object, metadata: { ...metadata, name } }, applying);
  }

  async find(object: KubeObject): Promise<KubeObject | undefined> {
    const { name = '', namespace } = object.metadata;
    return await this.#clientOf(object).find({ name, namespace }, this.#signal);
  }

  /** Whether there was one. */
  async delete(object: KubeObject): Promise<boolean> {
    const { name = '', namespace } = object.metadata;
    try {
      await this.#clientOf(object).delete({ name, namespace }, { signal: this.#signal });
      return true;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return false;
      throw error;
    }
  }

  async #actionFor(object: KubeObject): Promise<PlannedObject['action']> {
    const before = await this.find(object);
    if (!before) return 'create';
    const after = await this.apply(object, { dryRun: true });
    return sameJson(withoutBookkeeping(before), withoutBookkeeping(after)) ? 'keep' : 'change';
  }

  async #list(resource: DiscoveredResource, options: ListOptions): Promise<readonly KubeObject[]> {
    const found: KubeObject[] = [];
    for await (const { items } of this.#kube.resource(resource).pages({ ...options, signal: this.#signal })) {
      found.push(...items);
    }
    return found;
  }

  #clientOf({ apiVersion, kind }: KubeObject) {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const resource = this.#resources.find((one) => one.group === group && one.version === version && one.kind === kind);
    if (!resource) throw new Error(`the cluster does not serve ${kind} of ${apiVersion}`);
    return this.#kube.resource(resource);
  }
}

function isKind({ group, kind }: GroupKind, wanted: GroupKind): boolean {
  return group === wanted.group && kind === wanted.kind;
}

/** `kind/name`, with the namespace where there is one. */
export function nameOf({ kind, metadata: { name, namespace } }: KubeObject): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

function withoutBookkeeping({ metadata, status: _status, ...rest }: KubeObject) {
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
