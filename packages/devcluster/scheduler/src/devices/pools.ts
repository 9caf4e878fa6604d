import type { Device, NodeSelection, ResourceSlice } from '@slipway/kube-objects/kinds/api/devices';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import { matchesTerms } from '@slipway/kube-objects/rules/node-affinity';
import { type Quantities, quantities } from './devices-in-use.js';
import { poolId, type SliceIndex } from './slice-index.js';

/** The devices of a driver that are published together, as far as they are usable from one node. */
export interface Pool {
  /** `DRIVER/POOL` */
  readonly id: string;
  readonly driver: string;
  /** `incomplete` while its driver updates it, `invalid` when its slices contradict each other. Such a pool has no devices. */
  readonly state: 'usable' | 'incomplete' | 'invalid';
  readonly devices: readonly PoolDevice[];
  /** Devices for other nodes, which may share counters with `devices`. */
  readonly elsewhere: readonly PoolDevice[];
  /** What the devices share, by the name of the counter set. */
  readonly counters: ReadonlyMap<string, Quantities>;
}

export interface PoolDevice {
  readonly device: Device;
  readonly slice: ResourceSlice;
}

/** Returns the newest generation of the pools with devices for a node, in the order in which devices are tried. */
export function poolsFor(node: Node, slices: SliceIndex): readonly Pool[] {
  const byPool = new Map<string, ResourceSlice[]>();
  for (const slice of slices.for(node.metadata.name ?? '')) {
    if (!isForNode(slice, node)) continue;
    const id = poolId(slice);
    const known = byPool.get(id);
    const generation = generationOf(slice);
    if (!known || generation > generationOf(known[0] as ResourceSlice)) byPool.set(id, [slice]);
    else if (generation === generationOf(known[0] as ResourceSlice)) known.push(slice);
  }
  const pools = [...byPool.values()].flatMap((own) => poolOf(own, slices) ?? []);
  // Devices that are ready at once are tried before those that have to be prepared.
  const rank = (pool: Pool) => [isPrepared(pool) ? '1' : '0', pool.driver, pool.id];
  return pools.sort((a, b) => compareTexts(rank(a), rank(b)));
}

function compareTexts(some: readonly string[], others: readonly string[]): number {
  const at = some.findIndex((text, index) => text !== others[index]);
  return at < 0 ? 0 : (some[at] as string) < (others[at] as string) ? -1 : 1;
}

/** Whether devices with this selection can be used from the node. */
export function selectsNode({ nodeName, allNodes, nodeSelector }: NodeSelection, node: Node): boolean {
  if (nodeName) return nodeName === node.metadata.name;
  return allNodes || (nodeSelector !== undefined && matchesTerms(nodeSelector.nodeSelectorTerms, node));
}

function isForNode({ spec }: ResourceSlice, node: Node): boolean {
  if (!spec.perDeviceNodeSelection) return selectsNode(spec, node);
  return spec.devices?.some((device) => selectsNode(device, node)) ?? false;
}

function isPrepared({ devices }: Pool): boolean {
  return devices.some(({ device }) => device.bindingConditions !== undefined);
}

function generationOf({ spec }: ResourceSlice): number {
  return spec.pool.generation ?? 0;
}

/** Returns the pool of these slices, which are for the node; undefined when there is a newer generation for other nodes. */
function poolOf(own: readonly ResourceSlice[], slices: SliceIndex): Pool | undefined {
  const first = own[0] as ResourceSlice;
  const named = { id: poolId(first), driver: first.spec.driver };
  const { resourceSliceCount } = first.spec.pool;
  const unusable = (state: 'incomplete' | 'invalid'): Pool => {
    return { ...named, state, devices: [], elsewhere: [], counters: new Map() };
  };
  const generation = generationOf(first);
  const published = slices.pool(first);
  const isWhole = own.length === resourceSliceCount;
  if (!isWhole && published.some((slice) => generationOf(slice) > generation)) return undefined;
  const all = isWhole ? own : published.filter((slice) => generationOf(slice) === generation);
  if (all.length !== resourceSliceCount) return unusable('incomplete');

  const devices = devicesOf(own);
  const elsewhere = devicesOf(all.filter((slice) => !own.includes(slice)));
  const counters = countersOf(all);
  const names = new Set(devices.map(({ device }) => device.name));
  const isValid =
    counters !== undefined &&
    names.size === devices.length &&
    [...devices, ...elsewhere].every(({ device }) => hasItsCounters(device, counters));
  return isValid ? { ...named, state: 'usable', devices, elsewhere, counters } : unusable('invalid');
}

function devicesOf(slices: readonly ResourceSlice[]): readonly PoolDevice[] {
  const inOrder = [...slices].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  return inOrder.flatMap((slice) => (slice.spec.devices ?? []).map((device) => ({ device, slice })));
}

/** The counter sets of a pool; undefined when two have one name. */
function countersOf(slices: readonly ResourceSlice[]): ReadonlyMap<string, Quantities> | undefined {
  const sets = slices.flatMap(({ spec }) => spec.sharedCounters ?? []);
  const byName = new Map(sets.map(({ name = '', counters }) => [name, amountsOf(counters)]));
  return byName.size === sets.length ? byName : undefined;
}

/** The quantities of counters. */
export function amountsOf(counters: Readonly<Record<string, { readonly value: string }>> = {}): Quantities {
  return quantities(Object.fromEntries(Object.entries(counters).map(([name, { value }]) => [name, value])));
}

function hasItsCounters({ consumesCounters = [] }: Device, known: ReadonlyMap<string, Quantities>): boolean {
  return consumesCounters.every(({ counterSet = '', counters }) => {
    const set = known.get(counterSet);
    return set !== undefined && Object.keys(counters ?? {}).every((name) => set.has(name));
  });
}
