import { isIPv4 } from 'node:net';
import { internalError, invalid } from '@slipway/api-machinery/errors/status-errors';
import type { AdmissionReader } from '@slipway/api-server/attributes/admission';
import type { KubeObject } from '@slipway/kube';
import { isAddressOfService, isServing } from '@slipway/kube-objects/kinds/api/service-addresses';
import type { ServiceSpecFields } from '@slipway/kube-objects/kinds/service';
import { AddressRange } from '@slipway/kube-objects/rules/address-range';

/**
 * Gives services their addresses: from the ranges of the ServiceCIDRs that serve, or from the range the cluster was
 * started with while there is none. Numbers are handed out in turn, so that two creates whose writes are under way do
 * not get the same one.
 */
export class ClusterAddresses {
  readonly #startedWith: AddressRange;
  /** How many were handed out of a range, by its CIDR. */
  readonly #drawn = new Map<string, number>();

  constructor(startedWith: AddressRange) {
    this.#startedWith = startedWith;
  }

  /**
   * An address that no other service has, nor an IPAddress of others names.
   * @throws StatusError InternalError when there is none left
   */
  next(service: KubeObject, others: readonly ServiceSpecFields[], reader: AdmissionReader): string {
    const taken = takenBy(others, reader);
    for (const range of this.#ranges(reader)) {
      const address = this.#free(range, taken);
      if (address !== undefined) return address;
    }
    const name = JSON.stringify(service.metadata.name ?? '');
    throw internalError(`failed to allocate a serviceIP for Service ${name}: range is full`);
  }

  /**
   * Refuses an address that a service asks for when it cannot have it. Validation rejects strings that are not addresses.
   * @throws StatusError Invalid
   */
  require(address: string, service: KubeObject, others: readonly ServiceSpecFields[], reader: AdmissionReader): void {
    if (address === 'None') return;
    const problem = takenBy(others, reader).has(address)
      ? 'provided IP is already allocated'
      : isIPv4(address) && !this.#ranges(reader).some((range) => range.offers(address))
        ? 'the provided network does not match the current range'
        : undefined;
    if (problem === undefined) return;
    const detail = `failed to allocate IP ${address}: ${problem}`;
    const value = [address];
    throw invalid('Service', '', service.metadata.name ?? '', [
      { type: 'Invalid', field: 'spec.clusterIPs', value, detail },
    ]);
  }

  #ranges(reader: AdmissionReader): readonly AddressRange[] {
    const all = reader.list('servicecidrs.networking.k8s.io', {}).entries;
    if (all.length === 0) return [this.#startedWith];
    return all
      .filter(({ object }) => isServing(object))
      .flatMap(({ object }) =>
        (object.spec.cidrs as readonly string[]).flatMap((cidr) => AddressRange.find(cidr) ?? []),
      );
  }

  /** Above those that are kept for who chooses by hand, then from among them. */
  #free(range: AddressRange, taken: ReadonlySet<string>): string | undefined {
    const drawn = this.#drawn.get(range.cidr) ?? 0;
    const { count, reserved } = range;
    const shared = count - reserved;
    for (let attempt = 0; attempt < count; attempt += 1) {
      const index = attempt < shared ? reserved + ((drawn + attempt) % shared) : attempt - shared;
      const address = range.at(index);
      if (taken.has(address)) continue;
      this.#drawn.set(range.cidr, drawn + attempt + 1);
      return address;
    }
    return undefined;
  }
}

function takenBy(others: readonly ServiceSpecFields[], reader: AdmissionReader): ReadonlySet<string> {
  const given = others.flatMap(({ clusterIP, clusterIPs }) => [clusterIP, ...(clusterIPs ?? [])]);
  const ofOthers = reader
    .list('ipaddresses.networking.k8s.io', {})
    .entries.filter(({ object }) => !isAddressOfService(object));
  return new Set([...given.filter((address) => address !== undefined), ...ofOthers.map(({ name }) => name)]);
}
