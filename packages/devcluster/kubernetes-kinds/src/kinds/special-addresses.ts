import { BlockList } from 'node:net';
import { parseCidr } from '@slipway/kube-objects/rules/cidr';
import { canonicalLegacyAddress } from '@slipway/kube-objects/rules/legacy-addresses';

/** Ranges that lead nowhere from another machine, with the problem of an address in them. */
const ranges = [
  ['127.0.0.0/8', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  ['169.254.0.0/16', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  ['224.0.0.0/24', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
  ['::1/128', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  ['fe80::/10', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  ['ff02::/16', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
].map(([range = '', problem = '']) => ({ list: listOf(range), problem }));

function listOf(range: string): BlockList {
  const list = new BlockList();
  const cidr = parseCidr(range);
  if (cidr) list.addSubnet(cidr.address, cidr.prefix, cidr.family);
  return list;
}

/** Returns why an address cannot be that of an endpoint on another machine. */
export function specialAddressProblems(text: string): string[] {
  const address = canonicalLegacyAddress(text);
  if (address === undefined) return [];
  if (address === '0.0.0.0' || address === '::') return [`may not be unspecified (${text})`];
  const family = address.includes(':') ? 'ipv6' : 'ipv4';
  return ranges.flatMap(({ list, problem }) => (list.check(address, family) ? [problem] : []));
}

/**
 * Returns why an address cannot be that of an endpoint. Unlike in Kubernetes an endpoint may be on loopback, where the
 * servers of a cluster on one machine are.
 */
export function endpointAddressProblems(text: string): string[] {
  return specialAddressProblems(text).filter((problem) => !problem.includes('loopback'));
}
