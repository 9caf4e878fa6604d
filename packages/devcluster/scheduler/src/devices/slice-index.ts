import type { ResourceSlice } from '@slipway/kube-objects/kinds/api/devices';

/** ResourceSlices by node and by pool. */
export class SliceIndex {
  readonly #ofNode = new Map<string, ResourceSlice[]>();
  readonly #ofPool = new Map<string, ResourceSlice[]>();
  readonly #others: ResourceSlice[] = [];

  constructor(slices: readonly ResourceSlice[]) {
    for (const slice of slices) {
      const { nodeName } = slice.spec;
      if (nodeName) file(this.#ofNode, nodeName, slice);
      else this.#others.push(slice);
      file(this.#ofPool, poolId(slice), slice);
    }
  }

  /** Slices whose devices may be usable from the node. */
  for(nodeName: string): readonly ResourceSlice[] {
    return [...(this.#ofNode.get(nodeName) ?? []), ...this.#others];
  }

  /** All slices of the pool that `slice` is of, in every generation. */
  pool(slice: ResourceSlice): readonly ResourceSlice[] {
    return this.#ofPool.get(poolId(slice)) ?? [];
  }
}

/** The pool of a slice, in the form of messages: `DRIVER/POOL`. */
export function poolId({ spec }: ResourceSlice): string {
  return `${spec.driver}/${spec.pool.name}`;
}

function file(into: Map<string, ResourceSlice[]>, key: string, slice: ResourceSlice): void {
  const filed = into.get(key);
  if (filed) filed.push(slice);
  else into.set(key, [slice]);
}
