import { compareQuantity, subtractQuantity } from '@slipway/kube';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import type { ChosenDevice } from './chosen-device.js';
import { fulfils } from './constraints.js';
import { isKeptAway } from './device-taints.js';
import type { DeviceView } from './device-view.js';
import { type DevicesInUse, type Quantities, sumOf } from './devices-in-use.js';
import { amountsOf, type Pool, poolsFor } from './pools.js';
import { takenCapacity } from './shared-capacity.js';
import { AllocationError, type Candidate, candidatesIn, maxDevices, type Option, requestsOf } from './wishes.js';

/** Steps after which a search is given up, since its number of steps may grow exponentially with that of devices. */
const maxSteps = 50_000;

/** What was chosen for claims on one node. */
export interface Found {
  readonly devices: readonly ChosenDevice[];
  /** The option that each request of each claim got. */
  readonly options: readonly (readonly Option[])[];
}

/**
 * Searches for devices that fulfil all requests of some claims on a node: the first that fit, in the order of pools,
 * slices and devices, are chosen. Undefined when there are none.
 * @throws AllocationError when that cannot be decided
 */
export function findDevices(claims: readonly ResourceClaim[], node: Node, view: DeviceView): Found | undefined {
  const pools = poolsFor(node, view.slices());
  const candidates = candidatesIn(pools);
  const requests = claims.map((claim) => requestsOf(claim, { view, node, pools, candidates }));
  const found = new Search(claims, requests, candidates, view.inUse(), node).run();
  if (!found && pools.some(({ state }) => state === 'invalid')) throw new InvalidPoolsError();
  return found;
}

/** Nothing fits, and pools of the node contradict themselves. */
export class InvalidPoolsError extends Error {
  override readonly name = 'InvalidPoolsError';

  constructor() {
    super('invalid resource pools were encountered');
  }
}

/** Position of a request among those of all claims. */
interface At {
  readonly claim: number;
  readonly request: number;
}

class Search {
  readonly #claims: readonly ResourceClaim[];
  readonly #requests: readonly (readonly (readonly Option[])[])[];
  readonly #candidates: readonly Candidate[];
  readonly #inUse: DevicesInUse;
  readonly #node: Node;
  readonly #chosen: ChosenDevice[] = [];
  readonly #options: Option[][];
  readonly #counters = new Map<string, ReadonlyMap<string, Quantities>>();
  #steps = 0;

  constructor(
    claims: readonly ResourceClaim[],
    requests: readonly (readonly (readonly Option[])[])[],
    candidates: readonly Candidate[],
    inUse: DevicesInUse,
    node: Node,
  ) {
    this.#claims = claims;
    this.#requests = requests;
    this.#candidates = candidates;
    this.#inUse = inUse;
    this.#node = node;
    this.#options = claims.map(() => []);
  }

  run(): Found | undefined {
    return this.#fulfil({ claim: 0, request: 0 }) ? { devices: this.#chosen, options: this.#options } : undefined;
  }

  /** Chooses devices for this request and all that follow it. */
  #fulfil({ claim, request }: At): boolean {
    const ofClaim = this.#requests[claim];
    if (!ofClaim) return true;
    const options = ofClaim[request];
    if (!options) return this.#fulfil({ claim: claim + 1, request: 0 });
    return options.some((option) => {
      (this.#options[claim] as Option[])[request] = option;
      return this.#choose({ claim, request }, option, 0, 0);
    });
  }

  /** Chooses the devices that the option lacks beyond the first `have`, from the candidate at `from` on. */
  #choose(at: At, option: Option, have: number, from: number): boolean {
    this.#countStep();
    if (option.all?.length === 0) return false;
    if (have >= option.count) return this.#fulfil({ claim: at.claim, request: at.request + 1 });
    if (option.count - have > maxDevices - this.#ofClaim(at.claim).length) return false;
    if (option.all)
      return this.#tryOne(at, option, option.all[have] as Candidate, () => this.#choose(at, option, have + 1, 0));
    for (let index = from; index < this.#candidates.length; index++) {
      const candidate = this.#candidates[index] as Candidate;
      if (!this.#isFree(at, option, candidate) || !option.selects(candidate)) continue;
      if (this.#tryOne(at, option, candidate, () => this.#choose(at, option, have + 1, index + 1))) return true;
    }
    return false;
  }

  /** Takes the device back if what follows does not work out. */
  #tryOne(at: At, option: Option, candidate: Candidate, goOn: () => boolean): boolean {
    this.#countStep();
    const device = this.#isFree(at, option, candidate) && this.#choice(at, option, candidate);
    if (!device) return false;
    this.#chosen.push(device);
    if (goOn()) return true;
    this.#chosen.pop();
    return false;
  }

  /** Administration shares a device with everybody, but a claim gets it only once. */
  #isFree({ claim }: At, { isAdmin }: Option, { id }: Candidate): boolean {
    const alone = this.#chosen.filter((one) => one.id === id && one.takes === undefined);
    if (isAdmin) return !alone.some((one) => one.claim === claim);
    return alone.length === 0 && !this.#inUse.exclusive.has(id);
  }

  /** The device as a choice for the request, unless something speaks against it. */
  #choice({ claim }: At, option: Option, candidate: Candidate): ChosenDevice | undefined {
    const { device, slice, pool, id } = candidate;
    const { name: request, wish, isAdmin } = option;
    const taken = sumOf(
      this.#inUse.shared.get(id),
      this.#chosen.reduce<Quantities>((sum, one) => (one.id === id ? sumOf(sum, one.takes) : sum), new Map()),
    );
    const isShared = device.allowMultipleAllocations ?? false;
    const isUsedByOthers = this.#inUse.shared.has(id) || this.#chosen.some((one) => one.id === id && one.takes);
    const takes = takenCapacity(device, wish.capacity?.requests ?? {}, taken);
    if (!takes || isKeptAway(device, wish)) return undefined;
    const countsInPool = !(isShared && isUsedByOthers);
    if (countsInPool && !this.#hasCounters(candidate)) return undefined;
    const chosen: ChosenDevice = {
      claim,
      request,
      wish,
      isAdmin,
      id,
      driver: slice.spec.driver,
      poolId: pool.id,
      device,
      slice,
      takes: isShared ? takes : undefined,
      countsInPool,
    };
    const others = this.#ofClaim(claim);
    const broken = this.#claims[claim]?.spec.devices?.constraints?.some((one) => !fulfils(one, chosen, others));
    if (broken && option.all) {
      const about = `claim ${this.#nameOf(claim)}, request ${request}`;
      throw new AllocationError(`${about}: cannot add device ${id} because a claim constraint would not be satisfied`);
    }
    return broken ? undefined : chosen;
  }

  /** Whether the counters of the pool suffice for the device beside those that were chosen before. */
  #hasCounters({ device, pool }: Candidate): boolean {
    if (!device.consumesCounters?.length) return true;
    const known = this.#counters.get(pool.id) ?? leftCounters(pool, this.#inUse);
    this.#counters.set(pool.id, known);
    const others = this.#chosen.filter((one) => one.poolId === pool.id && one.countsInPool).map((one) => one.device);
    const consumed = [...others, device].flatMap(({ consumesCounters = [] }) => consumesCounters);
    return [...known].every(([set, left]) => {
      const own = consumed.filter(({ counterSet }) => counterSet === set);
      const sum = own.reduce<Quantities>((all, { counters }) => sumOf(all, amountsOf(counters)), new Map());
      return [...sum].every(([name, amount]) => {
        const available = left.get(name);
        return available !== undefined && compareQuantity(available, amount) >= 0;
      });
    });
  }

  #ofClaim(claim: number): readonly ChosenDevice[] {
    return this.#chosen.filter((one) => one.claim === claim);
  }

  #nameOf(claim: number): string {
    const { namespace, name } = this.#claims[claim]?.metadata ?? {};
    return `${namespace}/${name}`;
  }

  #countStep(): void {
    if (++this.#steps <= maxSteps) return;
    throw new AllocationError(`node ${this.#node.metadata.name}: timed out trying to allocate devices`);
  }
}

/** What the devices in use leave of the counters of a pool. */
function leftCounters(pool: Pool, { exclusive, shared }: DevicesInUse): ReadonlyMap<string, Quantities> {
  const used = candidatesIn([{ ...pool, devices: [...pool.devices, ...pool.elsewhere] }])
    .filter(({ id }) => exclusive.has(id) || shared.has(id))
    .flatMap(({ device }) => device.consumesCounters ?? []);
  return new Map(
    [...pool.counters].map(([set, counters]) => {
      const taken = used
        .filter(({ counterSet }) => counterSet === set)
        .reduce<Quantities>((sum, one) => sumOf(sum, amountsOf(one.counters)), new Map());
      const left = [...counters].map(([name, amount]) => {
        const gone = taken.get(name);
        return [name, gone ? subtractQuantity(amount, gone) : amount] as const;
      });
      return [set, new Map(left)];
    }),
  );
}
