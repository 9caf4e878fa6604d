import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import type { DnsFields } from '@slipway/kube-objects/kinds/pod-spec';
import { addressList, legacyAddressErrors } from '@slipway/kube-objects/rules/legacy-addresses';

const mostServers = 3;
const mostSearches = 32;
const longestSearches = 2_048;

/** Validates how a pod finds names. */
export function validateDns(config: DnsFields | undefined, policy: string | undefined, field: string): FieldError[] {
  if (policy === 'None' && !config) {
    return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  }
  const { nameservers, searches, options } = config ?? {};
  const servers = nameservers ?? [];
  const domains = searches ?? [];
  if (policy === 'None' && servers.length === 0) {
    return [required(`${field}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
  }
  const errors: FieldError[] = [];
  if (servers.length > mostServers) {
    errors.push(invalid(`${field}.nameservers`, servers, `must not have more than ${mostServers} nameservers`));
  }
  errors.push(...addressList(`${field}.nameservers`, servers).flatMap(legacyAddressErrors));
  if (domains.length > mostSearches) {
    errors.push(invalid(`${field}.searches`, domains, `must not have more than ${mostSearches} search paths`));
  }
  if (domains.join(' ').length > longestSearches) {
    const detail = `must not have more than ${longestSearches} characters (including spaces) in the search list`;
    errors.push(invalid(`${field}.searches`, domains, detail));
  }
  for (const [index, domain] of domains.entries()) {
    if (domain === '.') continue;
    const name = domain.replace(/\.$/, '');
    errors.push(...invalidBecause(`${field}.searches[${index}]`, name, searchProblems(name)));
  }
  for (const [index, { name = '' }] of (options ?? []).entries()) {
    if (name === '') errors.push(required(`${field}.options[${index}]`, 'must not be empty'));
  }
  return errors;
}

const label = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const search = `${label}(\\.${label})*`;
const searchPattern = new RegExp(`^${search}$`);

/** Names that are looked in may have underscores, which names of hosts may not. */
function searchProblems(name: string): string[] {
  const problems = name.length > 253 ? ['must be no more than 253 characters'] : [];
  if (searchPattern.test(name)) return problems;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start " +
    `and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${search}')`;
  return [...problems, rule];
}
