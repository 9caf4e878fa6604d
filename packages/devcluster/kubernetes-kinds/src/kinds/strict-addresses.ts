import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import type { KubeObject } from '@slipway/kube';
import type { PodSpecFields, PodTemplateFields } from '@slipway/kube-objects/kinds/pod-spec';
import { strictAddressesGate } from '@slipway/kube-objects/rules/gate-names';
import { type AddressField, addressList, strictAddressErrors } from '@slipway/kube-objects/rules/legacy-addresses';
import { aliasAddresses } from '../warnings/pod-spec-warnings.js';

type Fields = Readonly<Record<string, unknown>>;

/** Makes the rules of a kind whose addresses and ranges are held to the strict rules while the gate of these is on. */
export function strictAddresses(addressesOf: (object: KubeObject) => readonly AddressField[]) {
  return {
    [strictAddressesGate]: (object: KubeObject, isOn: boolean, old?: KubeObject): FieldError[] =>
      isOn ? strictAddressErrors(addressesOf(object), old && addressesOf(old)) : [],
  };
}

/** Returns the addresses of a pod spec. */
export function addressesOfSpec(spec: PodSpecFields | undefined, path: string): AddressField[] {
  if (!spec) return [];
  return [...addressList(`${path}.dnsConfig.nameservers`, spec.dnsConfig?.nameservers), ...aliasAddresses(spec, path)];
}

/** The rules of a kind with a pod template at that path, such as `spec.template`. */
export function strictTemplateAddresses(...path: readonly string[]) {
  return strictAddresses((object) => {
    const template = path.reduce<unknown>((value, name) => (value as Fields | undefined)?.[name], object);
    return addressesOfSpec((template as PodTemplateFields | undefined)?.spec, [...path, 'spec'].join('.'));
  });
}
