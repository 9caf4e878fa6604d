import { invalidBecause, oneOf, requiredOneOf } from '@slipway/api-machinery/errors/field-checks';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { duplicate, forbidden, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { labelProblems, qualifiedNameProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import type { KubeObject } from '@slipway/kube';
import type { ServicePortFields, ServiceSpecFields } from '@slipway/kube-objects/kinds/service';
import {
  type AddressField,
  addressList,
  balancerAddresses,
  cidrRule,
  legacyAddressErrors,
  parseLegacyCidr,
  rangeList,
} from '@slipway/kube-objects/rules/legacy-addresses';
import { portNameProblems, portProblems } from './port-names.js';
import { validateLabels } from './selector-validation.js';
import { specialAddressProblems } from './special-addresses.js';

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const affinities = ['ClientIP', 'None'];
const trafficPolicies = ['Cluster', 'Local'];
const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const familyPolicies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const families = ['IPv4', 'IPv6'];
const onlyForBalancers = "may only be used when `type` is 'LoadBalancer'";
const longestAffinitySeconds = 86_400;

/** Whether traffic from outside of the cluster comes in through the service. */
export function isExternallyAccessible({ type, externalIPs }: ServiceSpecFields): boolean {
  return type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && (externalIPs ?? []).length > 0);
}

/** Validates the spec of a service, once it has its addresses and ports. */
export function validateServiceSpec(spec: ServiceSpecFields): FieldError[] {
  const { type = '', ports, selector = {} } = spec;
  const isHeadless = spec.clusterIP === 'None';
  const needsPorts = (ports ?? []).length === 0 && !isHeadless && type !== 'ExternalName';
  return [
    ...(needsPorts ? [required('spec.ports')] : []),
    ...validateType(spec, isHeadless),
    ...validatePorts(ports ?? [], isHeadless),
    ...validateLabels(selector, 'spec.selector'),
    ...validateAffinity(spec),
    ...(type === 'ExternalName' ? [] : validateAddresses(spec)),
    ...validateExternalAddresses(spec.externalIPs ?? []),
    ...oneOf('spec.type', type, types),
    ...validateUniquePorts(ports ?? [], type),
    ...validateBalancing(spec),
    ...validateTraffic(spec),
  ];
}

/** What goes with one type only. */
function validateType(spec: ServiceSpecFields, isHeadless: boolean): FieldError[] {
  const { type, clusterIPs, externalName = '' } = spec;
  if (type !== 'ExternalName') {
    const cannotBeHeadless = isHeadless && (type === 'LoadBalancer' || type === 'NodePort');
    const detail = `may not be set to 'None' for ${type} services`;
    return cannotBeHeadless ? [invalid('spec.clusterIPs[0]', 'None', detail)] : [];
  }
  const isSet = {
    clusterIPs: clusterIPs?.length,
    ipFamilies: spec.ipFamilies?.length,
    ipFamilyPolicy: spec.ipFamilyPolicy,
  };
  const errors = Object.entries(isSet).flatMap(([field, set]) =>
    set ? [forbidden(`spec.${field}`, 'may not be set for ExternalName services')] : [],
  );
  const name = externalName.replace(/\.$/, '');
  if (name === '') return [...errors, required('spec.externalName')];
  return [...errors, ...invalidBecause('spec.externalName', name, subdomainProblems(name))];
}

function validatePorts(ports: readonly ServicePortFields[], isHeadless: boolean): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`;
    const { name = '', protocol = '', port: number = 0, targetPort = 0, appProtocol } = port;
    const errors: FieldError[] = [];
    if (name === '') {
      if (ports.length > 1) errors.push(required(`${field}.name`));
    } else {
      errors.push(...invalidBecause(`${field}.name`, name, labelProblems(name)));
      if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
      names.add(name);
    }
    errors.push(...invalidBecause(`${field}.port`, number, portProblems(number)));
    errors.push(...requiredOneOf(`${field}.protocol`, protocol, protocols));
    const targetProblems = typeof targetPort === 'number' ? portProblems(targetPort) : portNameProblems(targetPort);
    if (!isHeadless) errors.push(...invalidBecause(`${field}.targetPort`, targetPort, targetProblems));
    if (appProtocol !== undefined) {
      errors.push(...invalidBecause(`${field}.appProtocol`, appProtocol, qualifiedNameProblems(appProtocol)));
    }
    return errors;
  });
}

/** A port of a node, and a port of the service, are there once for each protocol. */
function validateUniquePorts(ports: readonly ServicePortFields[], type: string): FieldError[] {
  const pairs = new Set<string>();
  const nodePairs = new Set<string>();
  return ports.flatMap(({ protocol, port, nodePort }, index) => {
    const field = `spec.ports[${index}]`;
    const errors: FieldError[] = [];
    if (nodePort) {
      if (type === 'ClusterIP')
        errors.push(forbidden(`${field}.nodePort`, "may not be used when `type` is 'ClusterIP'"));
      if (nodePairs.has(`${protocol}/${nodePort}`)) errors.push(duplicate(`${field}.nodePort`, nodePort));
      nodePairs.add(`${protocol}/${nodePort}`);
    }
    if (pairs.has(`${protocol}/${port}`)) errors.push(duplicate(field, { protocol, port }));
    pairs.add(`${protocol}/${port}`);
    return errors;
  });
}

function validateAffinity({ sessionAffinity = '', sessionAffinityConfig }: ServiceSpecFields): FieldError[] {
  if (!affinities.includes(sessionAffinity)) {
    return [notSupported('spec.sessionAffinity', sessionAffinity, affinities)];
  }
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (sessionAffinity === 'None' || seconds === undefined) return [];
  if (seconds > 0 && seconds <= longestAffinitySeconds) return [];
  const detail = `must be greater than 0 and less than ${longestAffinitySeconds}`;
  return [invalid('spec.sessionAffinityConfig.clientIP.timeoutSeconds', seconds, detail)];
}

/** Addresses inside of the cluster, and the families they are of. */
function validateAddresses({ clusterIPs, ipFamilies, ipFamilyPolicy }: ServiceSpecFields): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, family] of (ipFamilies ?? []).entries()) {
    const at = `spec.ipFamilies[${index}]`;
    errors.push(...oneOf(at, family, families));
    if (seen.has(family)) errors.push(duplicate(at, family));
    seen.add(family);
  }
  errors.push(...oneOf('spec.ipFamilyPolicy', ipFamilyPolicy, familyPolicies));
  const given = clusterIPs ?? [];
  if (given[0] === 'None' && given.length > 1) {
    errors.push(invalid('spec.clusterIPs', given, "'None' must be the first and only value"));
  }
  for (const [index, address] of given.entries()) {
    if (index === 0 && address === 'None') continue;
    errors.push(...legacyAddressErrors({ field: `spec.clusterIPs[${index}]`, value: address, holds: 'address' }));
  }
  return errors;
}

function validateExternalAddresses(addresses: readonly string[]): FieldError[] {
  return addresses.flatMap((value, index) => {
    const field = `spec.externalIPs[${index}]`;
    const errors = legacyAddressErrors({ field, value, holds: 'address' });
    return errors.length > 0 ? errors : invalidBecause(field, value, specialAddressProblems(value));
  });
}

/** Returns the addresses and ranges of a service. */
export function addressesOfService({ spec = {}, status }: KubeObject): AddressField[] {
  const { clusterIPs, externalIPs, loadBalancerSourceRanges }: ServiceSpecFields = spec;
  return [
    ...addressList('spec.clusterIPs', clusterIPs).filter(({ value }) => value !== 'None'),
    ...addressList('spec.externalIPs', externalIPs),
    ...rangeList('spec.LoadBalancerSourceRanges', loadBalancerSourceRanges),
    ...balancerAddresses(status),
  ];
}

/** What only services with a load balancer have. */
function validateBalancing(spec: ServiceSpecFields): FieldError[] {
  const { type, loadBalancerSourceRanges, loadBalancerClass } = spec;
  const isBalanced = type === 'LoadBalancer';
  const errors: FieldError[] = [];
  // The field is spelled like this in the messages of Kubernetes.
  const field = 'spec.LoadBalancerSourceRanges';
  const ranges = loadBalancerSourceRanges ?? [];
  if (ranges.length > 0 && !isBalanced) errors.push(forbidden(field, onlyForBalancers));
  for (const [index, range] of ranges.entries()) {
    if (!parseLegacyCidr(range.trim())) errors.push(invalid(`${field}[${index}]`, range.trim(), cidrRule));
  }
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalanced) {
    errors.push(forbidden('spec.allocateLoadBalancerNodePorts', onlyForBalancers));
  }
  if (loadBalancerClass === undefined) return errors;
  if (!isBalanced) return [...errors, forbidden('spec.loadBalancerClass', onlyForBalancers)];
  const problems = qualifiedNameProblems(loadBalancerClass);
  return [...errors, ...invalidBecause('spec.loadBalancerClass', loadBalancerClass, problems)];
}

/** Which endpoints traffic goes to. */
function validateTraffic(spec: ServiceSpecFields): FieldError[] {
  const {
    type,
    externalTrafficPolicy = '',
    internalTrafficPolicy,
    trafficDistribution,
    healthCheckNodePort = 0,
  } = spec;
  const errors: FieldError[] = [];
  if (!isExternallyAccessible(spec)) {
    if (externalTrafficPolicy !== '') {
      const detail = 'may only be set for externally-accessible services';
      errors.push(invalid('spec.externalTrafficPolicy', externalTrafficPolicy, detail));
    }
  } else {
    errors.push(...oneOf('spec.externalTrafficPolicy', externalTrafficPolicy, trafficPolicies));
  }
  const isChecked = type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
  if (healthCheckNodePort !== 0 && !isChecked) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalid('spec.healthCheckNodePort', healthCheckNodePort, detail));
  }
  errors.push(...oneOf('spec.internalTrafficPolicy', internalTrafficPolicy, trafficPolicies));
  errors.push(...oneOf('spec.trafficDistribution', trafficDistribution, distributions));
  return errors;
}
