import { keyOf } from '@slipway/kube';
import type { DeviceClass, DeviceSelector } from '@slipway/kube-objects/kinds/api/devices';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { DeviceRequest, DeviceWish, ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import { deviceId } from './device-id.js';
import type { DeviceView } from './device-view.js';
import { type Pool, type PoolDevice, selectsNode } from './pools.js';
import { takenCapacity } from './shared-capacity.js';

/** A claim, a class or a slice is such that no decision can be made: scheduling is tried again later. */
export class AllocationError extends Error {
  override readonly name = 'AllocationError';
}

/** As many devices may be allocated for a claim. */
export const maxDevices = 32;

/** One way to fulfil a request, with the devices that come into question. */
export interface Option {
  /** `REQUEST`, or `REQUEST/CHOICE`. */
  readonly name: string;
  readonly wish: DeviceWish;
  readonly isAdmin: boolean;
  readonly deviceClass: DeviceClass;
  /** How many devices it wants. */
  readonly count: number;
  /** Of a wish for all devices: which these are. */
  readonly all: readonly Candidate[] | undefined;
  /** Whether the device of a pool fulfils the selectors. @throws AllocationError */
  readonly selects: (candidate: Candidate) => boolean;
}

export interface Candidate extends PoolDevice {
  readonly pool: Pool;
  /** `DRIVER/POOL/DEVICE` */
  readonly id: string;
}

/** Returns the usable devices of pools, in the order in which they are tried. */
export function candidatesIn(pools: readonly Pool[]): readonly Candidate[] {
  return pools.flatMap((pool) =>
    pool.devices.map(({ device, slice }) => {
      const { driver } = slice.spec;
      return { device, slice, pool, id: deviceId({ driver, pool: slice.spec.pool.name, device: device.name }) };
    }),
  );
}

/** What the options of the requests of a claim are read from. */
export interface Surroundings {
  readonly view: DeviceView;
  readonly node: Node;
  readonly pools: readonly Pool[];
  readonly candidates: readonly Candidate[];
}

/** Returns the options of each request of a claim, the preferred ones first. @throws AllocationError */
export function requestsOf(claim: ResourceClaim, around: Surroundings): readonly (readonly Option[])[] {
  const requests = claim.spec.devices?.requests ?? [];
  const options = requests.map((request) => optionsOf(claim, request, around));
  let least = 0;
  for (const [index, choices] of options.entries()) {
    const count = Math.min(...choices.map((option) => option.count));
    if (count > maxDevices - least) {
      const added = `adding ${count} devices exceeds the claim limit of ${maxDevices}, with ${least} already accounted for`;
      throw new AllocationError(`claim ${keyOf(claim)}, request ${requests[index]?.name}: ${added}`);
    }
    least += count;
  }
  return options;
}

function optionsOf(claim: ResourceClaim, request: DeviceRequest, around: Surroundings): readonly Option[] {
  const { name, exactly, firstAvailable = [] } = request;
  if (exactly) return [optionOf(claim, { name, said: name }, exactly, exactly.adminAccess ?? false, around)];
  return firstAvailable.map((wish) =>
    optionOf(claim, { name: `${name}/${wish.name}`, said: wish.name }, wish, false, around),
  );
}

function optionOf(
  claim: ResourceClaim,
  { name, said }: { readonly name: string; readonly said: string },
  wish: DeviceWish,
  isAdmin: boolean,
  { view, node, pools, candidates }: Surroundings,
): Option {
  const about = `claim ${keyOf(claim)}, request ${said}`;
  const deviceClass = view.deviceClass(wish.deviceClassName);
  if (!deviceClass) throw new AllocationError(`${about}: could not retrieve device class ${wish.deviceClassName}`);
  const decided = new Map<string, boolean>();
  const selects = (candidate: Candidate) => {
    const known = decided.get(candidate.id);
    if (known !== undefined) return known;
    const decision =
      fulfilsAll(deviceClass.spec.selectors, `class ${deviceClass.metadata.name}`, candidate, view) &&
      fulfilsAll(wish.selectors, `claim ${keyOf(claim)}`, candidate, view) &&
      (!candidate.slice.spec.perDeviceNodeSelection || selectsNode(candidate.device, node));
    decided.set(candidate.id, decision);
    return decision;
  };
  const option = { name, wish, isAdmin, deviceClass, selects };
  if (wish.allocationMode !== 'All') return { ...option, count: wish.count ?? 1, all: undefined };
  const unready = pools.find(({ state }) => state !== 'usable');
  if (unready) {
    const state = unready.state === 'incomplete' ? 'being updated' : 'invalid';
    throw new AllocationError(`${about}: asks for all devices, but resource pool ${unready.id} is currently ${state}`);
  }
  const isLargeEnough = ({ device }: Candidate) =>
    takenCapacity(device, wish.capacity?.requests ?? {}, new Map()) !== undefined;
  const all = candidates.filter((candidate) => selects(candidate) && isLargeEnough(candidate));
  return { ...option, count: all.length, all };
}

function fulfilsAll(
  selectors: readonly DeviceSelector[] = [],
  whose: string,
  { device, slice, id }: Candidate,
  { compile }: DeviceView,
): boolean {
  return selectors.every(({ cel }, index) => {
    const condition = compile(cel?.expression ?? '');
    const about = `${whose}: selector #${index}`;
    if (typeof condition === 'string') throw new AllocationError(`${about}: CEL compile error: ${condition}`);
    const outcome = condition(slice.spec.driver, device);
    if (typeof outcome === 'string') {
      throw new AllocationError(`${about} on device ${id}: CEL runtime error: ${outcome}`);
    }
    return outcome;
  });
}
