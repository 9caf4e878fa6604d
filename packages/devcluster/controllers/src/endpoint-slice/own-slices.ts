import type { Informer, KubeObject, ObjectRef } from '@slipway/kube';
import { type EndpointSlice, endpointSlices } from '@slipway/kube-objects/kinds/api/services';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { type SlicePlan, serviceOf } from './plan-slices.js';

/** The slices that one controller keeps. */
export interface KeptSlices {
  /** Names what a slice belongs to, by its label; nothing for slices of others. */
  readonly refs: (slice: KubeObject) => readonly ObjectRef[];
  /** One function for all informers: an index may be added again, but only by the same function. */
  readonly keys: (slice: EndpointSlice) => readonly string[];
  readonly index: string;
}

/** Describes slices that are known by `isKept`, to be filed under the name of an index. */
export function keptSlices(index: string, isKept: (slice: KubeObject) => boolean): KeptSlices {
  const refs = (slice: KubeObject) => {
    const name = isKept(slice) ? serviceOf(slice) : undefined;
    return name ? [{ name, namespace: slice.metadata.namespace }] : [];
  };
  return { refs, keys: (slice) => refs(slice).map(keyOf), index };
}

/** Reads and changes the slices that one controller keeps. */
export class OwnSlices {
  readonly #kept: KeptSlices;
  readonly #informer: Informer<EndpointSlice>;
  readonly #slices: RecordedClient<EndpointSlice>;

  constructor(deps: Omit<WorkloadDeps, 'log'>, kept: KeptSlices) {
    this.#kept = kept;
    this.#informer = deps.informers.informer(endpointSlices);
    this.#informer.addIndex(kept.index, kept.keys);
    this.#slices = new RecordedClient(deps, endpointSlices);
  }

  /** The slices that belong to an object, except those about to go. */
  of(ref: ObjectRef): readonly EndpointSlice[] {
    const cached = this.#informer.lister.byIndex(this.#kept.index, keyOf(ref));
    const all = this.#slices.over(cached, (slice) => this.#kept.keys(slice).includes(keyOf(ref)));
    return all.filter((slice) => !slice.metadata.deletionTimestamp);
  }

  /** Changes the slices that a plan says, one after the other. */
  async carryOut({ create, update, remove }: SlicePlan, signal: AbortSignal): Promise<void> {
    for (const slice of create) await this.#slices.create(slice, signal);
    for (const slice of update) await this.#slices.replace(slice, signal);
    for (const slice of remove) await this.#slices.delete(slice, { signal });
  }
}

function keyOf({ name, namespace }: ObjectRef): string {
  return `${namespace}/${name}`;
}
