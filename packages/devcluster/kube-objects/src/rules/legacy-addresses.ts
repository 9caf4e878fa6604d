import { isIP } from 'node:net';
import { type FieldError, invalid } from '@slipway/api-machinery/errors/field-error';
import { addressRule, type Cidr, canonicalAddress, canonicalCidr, parseCidr } from './cidr.js';

/** The problem of a string that is not a range. */
export const cidrRule = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** A field that holds an address, or a range of addresses, and predates the strict rules. */
export interface AddressField {
  readonly field: string;
  readonly value: string;
  readonly holds: 'address' | 'range';
}

/** An address in a field that predates the strict rules. */
interface LegacyAddress {
  /** In the form that Kubernetes advises: without leading zeros, and IPv4 where IPv6 only holds IPv4. */
  readonly canonical: string;
  readonly form: 'standard' | 'leading zeros' | 'mapped';
}

/** Parses an address whose octets may have leading zeros; undefined when the string is not one. */
function parseLegacyAddress(text: string): LegacyAddress | undefined {
  const withoutZeros = text.replace(/(^|[:.])0+(?=\d+(?:\.|$))/g, '$1');
  const given = text.includes('.') ? withoutZeros : text;
  const canonical = canonicalAddress(given);
  if (canonical === undefined) return undefined;
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high !== undefined && low !== undefined) return { canonical: dotted(high, low), form: 'mapped' };
  return { canonical, form: isIP(text) === 0 ? 'leading zeros' : 'standard' };
}

function dotted(high: string, low: string): string {
  return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 0xff]).join('.');
}

/** An address in the form that Kubernetes advises; undefined when the string is not one. */
export function canonicalLegacyAddress(text: string): string | undefined {
  return parseLegacyAddress(text)?.canonical;
}

/** The family of an address, as `parseLegacyAddress` reads it; 0 when the string is not one. */
export function legacyFamily(text: string): 0 | 4 | 6 {
  const address = parseLegacyAddress(text);
  if (!address) return 0;
  return address.canonical.includes(':') ? 6 : 4;
}

interface LegacyCidr {
  /** The range, with the address as it was given. */
  readonly cidr: Cidr;
  readonly canonical: string;
  readonly form: LegacyAddress['form'];
  /** The address with the prefix of a single one, where the range has bits beyond its prefix. */
  readonly single: string | undefined;
}

/** Parses a range whose numbers may have leading zeros; undefined when the string is not one. */
export function parseLegacyCidr(text: string): LegacyCidr | undefined {
  const [, given = '', bits = ''] = /^([^/]+)\/(\d{1,9})$/.exec(text) ?? [];
  const address = parseLegacyAddress(given);
  const prefix = Number(bits) - (address?.form === 'mapped' ? 96 : 0);
  const cidr = address && prefix >= 0 ? parseCidr(`${address.canonical}/${prefix}`) : undefined;
  if (!address || !cidr) return undefined;
  const canonical = canonicalCidr(cidr);
  const isWhole = canonical === `${address.canonical}/${prefix}`;
  const form = address.form === 'standard' && String(Number(bits)) !== bits ? 'leading zeros' : address.form;
  const single = isWhole ? undefined : `${address.canonical}/${cidr.family === 'ipv4' ? 32 : 128}`;
  return { cidr, canonical, form, single };
}

/**
 * Returns the errors of the strict rules about fields whose values are addresses and ranges by the old ones. Values that
 * the stored object has already may stay.
 */
export function strictAddressErrors(fields: readonly AddressField[], old: readonly AddressField[] = []): FieldError[] {
  const before = new Set(old.map(({ value }) => value));
  return fields
    .filter(({ value }) => !before.has(value))
    .flatMap(({ field, value, holds }) =>
      (holds === 'address' ? strictProblems(value) : strictCidrProblems(value)).map((why) =>
        invalid(field, value, why),
      ),
    );
}

function strictProblems(text: string): string[] {
  const form = parseLegacyAddress(text)?.form;
  if (form === 'leading zeros') return ['must not have leading 0s'];
  return form === 'mapped' ? ['must not be an IPv4-mapped IPv6 address'] : [];
}

function strictCidrProblems(text: string): string[] {
  const range = parseLegacyCidr(text);
  if (range?.form === 'leading zeros') return ['must not have leading 0s in IP or prefix length'];
  if (range?.form === 'mapped') return ['must not have an IPv4-mapped IPv6 address'];
  return range?.single === undefined ? [] : ['must not have bits set beyond the prefix length'];
}

/** Returns the warnings about addresses and ranges in forms that are not those Kubernetes advises. */
export function addressWarnings(fields: readonly AddressField[]): string[] {
  return fields.flatMap(({ field, value, holds }) => {
    const text = JSON.stringify(value);
    return (holds === 'address' ? warningsOf(value, text) : cidrWarningsOf(value, text)).map(
      (warning) => `${field}: ${warning}`,
    );
  });
}

function warningsOf(value: string, text: string): string[] {
  const address = parseLegacyAddress(value);
  if (!address) return [];
  const { canonical, form } = address;
  if (form !== 'standard') return [`non-standard IP address ${text} is invalid: use "${canonical}"`];
  return canonical === value ? [] : [`IPv6 address ${text} should be in RFC 5952 canonical format ("${canonical}")`];
}

function cidrWarningsOf(value: string, text: string): string[] {
  const range = parseLegacyCidr(value);
  if (!range) return [];
  const { canonical, form, single } = range;
  const warnings: string[] = [];
  if (single !== undefined) {
    warnings.push(`CIDR value ${text} is ambiguous in this context (should be "${canonical}" or "${single}"?)`);
  }
  if (form !== 'standard') warnings.push(`non-standard CIDR value ${text} is invalid: use "${canonical}"`);
  if (warnings.length > 0 || canonical === value) return warnings;
  return [`IPv6 CIDR value ${text} should be in RFC 5952 canonical format ("${canonical}")`];
}

/** Returns the errors of the old rules about a field. */
export function legacyAddressErrors({ field, value, holds }: AddressField): FieldError[] {
  if (holds === 'address') return legacyFamily(value) === 0 ? [invalid(field, value, addressRule)] : [];
  return parseLegacyCidr(value) ? [] : [invalid(field, value, cidrRule)];
}

/** Returns the elements of a list of addresses. */
export function addressList(field: string, values: readonly string[] | null | undefined): AddressField[] {
  return (values ?? []).map((value, index) => ({ field: `${field}[${index}]`, value, holds: 'address' }));
}

/** Returns the elements of a list of ranges. */
export function rangeList(field: string, values: readonly string[] | null | undefined): AddressField[] {
  return (values ?? []).map((value, index) => ({ field: `${field}[${index}]`, value: value.trim(), holds: 'range' }));
}

/** Returns the addresses that a load balancer has, in the status of a Service or an Ingress. */
export function balancerAddresses(
  status: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] | null } } | undefined,
): AddressField[] {
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, index) =>
    ip ? [{ field: `status.loadBalancer.ingress[${index}].ip`, value: ip, holds: 'address' as const }] : [],
  );
}
