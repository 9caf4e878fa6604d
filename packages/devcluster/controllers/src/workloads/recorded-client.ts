import {
  type DeleteOptions,
  type KubeObject,
  type ObjectRef,
  RecentWrites,
  type ResourceClient,
  type ResourceRef,
  refOf,
  sameJson,
} from '@slipway/kube';
import type { WorkloadDeps } from './workload-deps.js';

/** Writes objects of one resource, and knows what it wrote before the informer shows it. */
export class RecordedClient<T extends KubeObject> {
  /** Reads from the server; what is written by it directly has to be recorded with `wrote`. */
  readonly client: ResourceClient<T>;
  readonly #recent: RecentWrites<T>;

  constructor({ kube, informers }: Omit<WorkloadDeps, 'log'>, resource: ResourceRef<T>) {
    this.client = kube.resource(resource);
    this.#recent = new RecentWrites(informers.informer(resource), kube.clock);
  }

  /** The newest known state of an object. */
  get(ref: ObjectRef): T | undefined {
    return this.#recent.get(ref);
  }

  /** The newest known state of `cached`, with those of our own writes that belong there. */
  over(cached: readonly T[], belongs: (object: T) => boolean): readonly T[] {
    return this.#recent.over(cached, belongs);
  }

  wrote(object: T): T {
    return this.#recent.wrote(object);
  }

  async create(object: T, signal: AbortSignal): Promise<T> {
    return this.wrote(await this.client.create(object, { signal }));
  }

  async replace(object: T, signal: AbortSignal): Promise<T> {
    return this.wrote(await this.client.replace(object, { signal }));
  }

  async merge(ref: ObjectRef, patch: object, signal: AbortSignal): Promise<T> {
    return this.wrote(await this.client.merge(ref, patch, { signal }));
  }

  async mergeStatus(ref: ObjectRef, status: object, signal: AbortSignal): Promise<T> {
    return this.wrote(await this.client.mergeStatus(ref, { status }, { signal }));
  }

  /** Writes a status unless the object has it already. */
  async replaceStatus(object: T, status: T['status'], signal: AbortSignal): Promise<T> {
    if (sameJson(status, object.status)) return object;
    return this.wrote(await this.client.replaceStatus({ ...object, status }, { signal }));
  }

  /** Deletes this very object. Rejects with a Conflict when another one has its name by now. */
  async delete(object: T, options: DeleteOptions): Promise<void> {
    await this.client.delete(refOf(object), { preconditions: { uid: object.metadata.uid ?? '' }, ...options });
    this.#recent.deleted(this.get(refOf(object)) ?? object);
  }
}
