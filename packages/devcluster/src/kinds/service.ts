import type { KubeObject } from '@slipway/kube';
import { dns1035Problems, labelProblems } from '../registry/names.js';
import type { FieldError } from '../registry/resource-definition.js';
import { ageColumn, textColumn, wideColumn } from './columns.js';
import { defineResource } from './define-resource.js';
import { duplicate, invalid, invalidBecause, notSupported, required } from './field-error.js';
import { validateLabels } from './pod-spec-validation.js';
import { portNameProblems, portProblems } from './port-names.js';

/** Spec of a Service, as far as it is looked at here. */
export interface ServiceSpecFields {
  type?: string;
  ports?: ServicePortFields[] | null;
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[] | null;
  ipFamilies?: string[] | null;
  ipFamilyPolicy?: string;
  externalIPs?: string[];
  externalName?: string;
  sessionAffinity?: string;
  sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
  externalTrafficPolicy?: string;
  internalTrafficPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
}

export interface ServicePortFields {
  name?: string;
  protocol?: string;
  port?: number;
  targetPort?: number | string;
  nodePort?: number;
}

export const services = defineResource({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  namespaced: true,
  message: 'core.v1.Service',
  subresources: { status: true },
  nameProblems: dns1035Problems,
  defaults(service) {
    service.spec ??= {};
    defaultService(service.spec);
  },
  initialStatus: () => ({ loadBalancer: {} }),
  prepareForUpdate: ({ spec }, old) => dropOutgrown(spec, old.spec),
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: ({ spec }, old) => validateAddressUpdate(spec, old.spec),
  selectableFields: {
    'spec.clusterIP': ({ spec }) => spec?.clusterIP ?? '',
    'spec.type': ({ spec }) => spec?.type ?? '',
  },
  columns: [
    textColumn('Type', 'How the service can be reached.', ({ spec }) => spec?.type ?? ''),
    textColumn(
      'Cluster-IP',
      'Address inside the cluster.',
      ({ spec }) => spec?.clusterIPs?.[0] || spec?.clusterIP || '<none>',
    ),
    textColumn('External-IP', 'Address outside the cluster.', externalAddress),
    textColumn('Port(s)', 'Ports of the service.', ({ spec }) => portsText(spec?.ports ?? [])),
    ageColumn,
    wideColumn('Selector', 'Labels of the pods behind the service.', ({ spec }) => {
      const labels = Object.entries<string>(spec?.selector ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
      return labels.map(([key, value]) => `${key}=${value}`).join(',') || '<none>';
    }),
  ],
});

function defaultService(spec: ServiceSpecFields): void {
  spec.type ||= 'ClusterIP';
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  else if (spec.sessionAffinity === 'ClientIP') {
    spec.sessionAffinityConfig ??= {};
    spec.sessionAffinityConfig.clientIP ??= {};
    spec.sessionAffinityConfig.clientIP.timeoutSeconds ??= 10_800;
  }
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    // The zero value means unset: it cannot be told from a port that was not given.
    if ((port.targetPort || 0) === 0 && port.port !== undefined) port.targetPort = port.port;
  }
  const isExternal = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  if (isExternal) spec.externalTrafficPolicy ||= 'Cluster';
  if (isExternal || spec.type === 'ClusterIP') spec.internalTrafficPolicy ||= 'Cluster';
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
}

/** Settings of a type that the service no longer has go, unless the writer insists on them. */
function dropOutgrown(spec: ServiceSpecFields, old: ServiceSpecFields): void {
  const isExternal = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  if (!isExternal && spec.externalTrafficPolicy === old.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  const isSame = spec.allocateLoadBalancerNodePorts === old.allocateLoadBalancerNodePorts;
  if (spec.type !== 'LoadBalancer' && isSame) delete spec.allocateLoadBalancerNodePorts;
  if (spec.type === 'ExternalName') delete spec.internalTrafficPolicy;
}

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const affinities = ['ClientIP', 'None'];

function validateSpec(spec: ServiceSpecFields): FieldError[] {
  const { type = '', ports, sessionAffinity = '', selector = {}, externalName = '' } = spec;
  const isHeadless = spec.clusterIP === 'None';
  const errors: FieldError[] = [];
  if (!affinities.includes(sessionAffinity)) {
    errors.push(notSupported('spec.sessionAffinity', sessionAffinity, affinities));
  }
  if (type === 'LoadBalancer' && isHeadless) {
    errors.push(invalid('spec.clusterIPs[0]', 'None', "may not be set to 'None' for LoadBalancer services"));
  }
  if (type === 'ExternalName' && externalName === '') errors.push(required('spec.externalName'));
  const needsPorts = (ports ?? []).length === 0 && !isHeadless && type !== 'ExternalName';
  return [
    ...(needsPorts ? [required('spec.ports')] : validatePorts(ports ?? [], isHeadless)),
    ...validateLabels(selector, 'spec.selector'),
    ...errors,
    ...(types.includes(type) ? [] : [notSupported('spec.type', type, types)]),
  ];
}

function validatePorts(ports: readonly ServicePortFields[], isHeadless: boolean): FieldError[] {
  const names = new Set<string>();
  const pairs = new Set<string>();
  return ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`;
    const { name = '', protocol = '', port: number = 0, targetPort = 0, nodePort = 0 } = port;
    const errors: FieldError[] = [];
    if (name === '') {
      if (ports.length > 1) errors.push(required(`${field}.name`));
    } else {
      errors.push(...invalidBecause(`${field}.name`, name, labelProblems(name)));
      if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
      names.add(name);
    }
    errors.push(...invalidBecause(`${field}.port`, number, portProblems(number)));
    if (protocol === '') errors.push(required(`${field}.protocol`));
    else if (!protocols.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, protocols));
    const targetProblems = typeof targetPort === 'number' ? portProblems(targetPort) : portNameProblems(targetPort);
    if (!isHeadless) errors.push(...invalidBecause(`${field}.targetPort`, targetPort, targetProblems));
    if (nodePort !== 0) errors.push(...invalidBecause(`${field}.nodePort`, nodePort, portProblems(nodePort)));
    if (pairs.has(`${protocol}/${number}`)) errors.push(duplicate(field, { protocol, port: number }));
    pairs.add(`${protocol}/${number}`);
    return errors;
  });
}

/** The address stays as long as the service has one. */
function validateAddressUpdate(spec: ServiceSpecFields, old: ServiceSpecFields): FieldError[] {
  if (old.type === 'ExternalName' || spec.type === 'ExternalName') return [];
  const [address, before] = [spec.clusterIPs ?? [], old.clusterIPs ?? []];
  if (before.length === 0 || address[0] === before[0]) return [];
  return [invalid('spec.clusterIPs[0]', address, 'may not change once set')];
}

function externalAddress({ spec = {}, status }: KubeObject): string {
  const { type, externalIPs = [], externalName = '' }: ServiceSpecFields = spec;
  if (type === 'ExternalName') return externalName;
  const ingress: readonly { ip?: string; hostname?: string }[] = status?.loadBalancer?.ingress ?? [];
  const addresses = type === 'LoadBalancer' ? ingress.map(({ ip, hostname }) => ip || hostname || '') : [];
  const all = [...addresses, ...externalIPs].join(',');
  return all || (type === 'LoadBalancer' ? '<pending>' : '<none>');
}

function portsText(ports: readonly ServicePortFields[]): string {
  const texts = ports.map(({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`);
  return texts.join(',') || '<none>';
}
