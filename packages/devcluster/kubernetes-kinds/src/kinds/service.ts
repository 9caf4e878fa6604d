import { unchanged } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid } from '@slipway/api-machinery/errors/field-error';
import { labelProblems } from '@slipway/api-machinery/errors/names';
import { ageColumn, textColumn, wideColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import type { ServicePortFields, ServiceSpecFields } from '@slipway/kube-objects/kinds/service';
import { addressWarnings } from '@slipway/kube-objects/rules/legacy-addresses';
import { serviceWarnings } from '../warnings/service-warnings.js';
import { addressesOfService, isExternallyAccessible, validateServiceSpec } from './service-validation.js';
import { strictAddresses } from './strict-addresses.js';

export const services = defineResource({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  namespaced: true,
  createdByPut: true,
  returnsDeleted: true,
  message: 'core.v1.Service',
  nameRules: 'create',
  warnings: (service) => [...serviceWarnings(service), ...addressWarnings(addressesOfService(service))],
  subresources: { status: true, proxy: true },
  nameProblems: labelProblems,
  defaults(service) {
    service.spec ??= {};
    defaultService(service.spec);
  },
  initialStatus: () => ({ loadBalancer: {} }),
  prepareForUpdate: ({ spec }, old) => dropOutgrown(spec, old.spec),
  validate: ({ spec }) => validateServiceSpec(spec),
  gatedRules: strictAddresses(addressesOfService),
  validateUpdate: ({ spec }, old) => [...validateAddressUpdate(spec, old.spec), ...validateClassUpdate(spec, old.spec)],
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
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ||= 'Cluster';
  if (spec.type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
}

/** Settings of a type that the service no longer has go, unless the writer insists on them. */
function dropOutgrown(spec: ServiceSpecFields, old: ServiceSpecFields): void {
  const drop = (field: keyof ServiceSpecFields) => {
    if (spec[field] === old[field]) delete spec[field];
  };
  if (!isExternallyAccessible(spec)) drop('externalTrafficPolicy');
  if (spec.type !== 'LoadBalancer' || spec.externalTrafficPolicy !== 'Local') drop('healthCheckNodePort');
  if (spec.type !== 'LoadBalancer') {
    drop('allocateLoadBalancerNodePorts');
    drop('loadBalancerClass');
  }
  if (spec.type === 'ExternalName') delete spec.internalTrafficPolicy;
}

/** The address stays as long as the service has one. */
function validateAddressUpdate(spec: ServiceSpecFields, old: ServiceSpecFields): FieldError[] {
  if (old.type === 'ExternalName' || spec.type === 'ExternalName') return [];
  const [address, before] = [spec.clusterIPs ?? [], old.clusterIPs ?? []];
  if (before.length === 0 || address[0] === before[0]) return [];
  return [invalid('spec.clusterIPs[0]', address, 'may not change once set')];
}

/** The load balancer class is immutable while the type stays `LoadBalancer`. */
function validateClassUpdate(spec: ServiceSpecFields, old: ServiceSpecFields): FieldError[] {
  if (old.type !== 'LoadBalancer' || spec.type !== 'LoadBalancer') return [];
  return unchanged('spec.loadBalancerClass', spec.loadBalancerClass, old.loadBalancerClass, Object.is);
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
