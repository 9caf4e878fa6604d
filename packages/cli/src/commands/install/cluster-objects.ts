import { type DiscoveredResource, hasReason, installer, type Kube, type KubeObject, sameJson } from '@slipway/kube';

/** What would become of an object of ours. */
export interface PlannedObject {
  readonly action: 'create' | 'change' | 'keep';
  readonly object: KubeObject;
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

  /** Those of them that are there and that `isMeant` is true of, as they are wanted. */
  async present(
    wanted: readonly KubeObject[],
    isMeant: (stored: KubeObject) => boolean,
  ): Promise<readonly KubeObject[]> {
    const present: KubeObject[] = [];
    for (const object of wanted) {
      const stored = await this.find(object);
      if (stored && isMeant(stored)) present.push(object);
    }
    return present;
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

  #clientOf({ apiVersion, kind }: KubeObject) {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const resource = this.#resources.find((one) => one.group === group && one.version === version && one.kind === kind);
    if (!resource) throw new Error(`the cluster does not serve ${kind} of ${apiVersion}`);
    return this.#kube.resource(resource);
  }
}

/** `kind/name`, with the namespace where there is one. */
export function nameOf({ kind, metadata: { name, namespace } }: KubeObject): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

function withoutBookkeeping({ metadata, status: _status, ...rest }: KubeObject) {
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
