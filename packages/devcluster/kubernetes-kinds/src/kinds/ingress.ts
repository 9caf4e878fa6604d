import { isIP } from 'node:net';
import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import {
  labelProblems,
  pathSegmentProblems,
  subdomainProblems,
  wildcardProblems,
} from '@slipway/api-machinery/errors/names';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import { balancerAddresses } from '@slipway/kube-objects/rules/legacy-addresses';
import { portNameProblems, portProblems } from './port-names.js';
import { strictAddresses } from './strict-addresses.js';

interface BackendFields {
  service?: { name?: string; port?: { name?: string; number?: number } };
  resource?: { apiGroup?: string | null; kind?: string; name?: string };
}

interface PathFields {
  path?: string;
  pathType?: string | null;
  backend?: BackendFields;
}

interface RuleFields {
  host?: string;
  http?: { paths?: PathFields[] | null };
}

interface TlsFields {
  hosts?: string[] | null;
  secretName?: string;
}

interface IngressSpecFields {
  ingressClassName?: string;
  defaultBackend?: BackendFields;
  rules?: RuleFields[] | null;
  tls?: TlsFields[] | null;
}

/** Kept for those who apply it: nothing here answers requests from outside. */
export const ingresses = defineResource({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
  shortNames: ['ing'],
  namespaced: true,
  message: 'networking.v1.Ingress',
  gatedRules: strictAddresses(({ status }) => balancerAddresses(status)),
  nameRules: 'last',
  warnings: classWarnings,
  subresources: { status: true },
  generation: ['spec'],
  initialStatus: () => ({ loadBalancer: {} }),
  validate: ({ spec }) => validateSpec(spec ?? {}),
  columns: [
    textColumn('Class', 'Class of the ingress.', ({ spec }) => spec?.ingressClassName ?? '<none>'),
    textColumn('Hosts', 'Hosts that the rules are about.', ({ spec }) => hostsText(spec?.rules ?? [])),
    textColumn('Address', 'Where the ingress is reached.', addressText),
    textColumn('Ports', 'Ports that are open.', ({ spec }) => (spec?.tls?.length ? '80, 443' : '80')),
    ageColumn,
  ],
});

const classAnnotation = 'kubernetes.io/ingress.class';

function classWarnings({ metadata, spec }: KubeObject, old?: KubeObject): readonly string[] {
  const isByAnnotation = metadata.annotations?.[classAnnotation] !== undefined && spec?.ingressClassName === undefined;
  return isByAnnotation && !old
    ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
    : [];
}

function validateSpec({ ingressClassName, defaultBackend, rules, tls }: IngressSpecFields): FieldError[] {
  const isEmpty = !rules?.length && !defaultBackend;
  return [
    ...(isEmpty ? [invalid('spec', rules ?? null, 'either `defaultBackend` or `rules` must be specified')] : []),
    ...(defaultBackend ? validateBackend(defaultBackend, 'spec.defaultBackend') : []),
    ...(rules ?? []).flatMap((rule, index) => validateRule(rule, `spec.rules[${index}]`)),
    ...(tls ?? []).flatMap((each, index) => validateTls(each, `spec.tls[${index}]`)),
    ...(ingressClassName === undefined
      ? []
      : invalidBecause('spec.ingressClassName', ingressClassName, subdomainProblems(ingressClassName))),
  ];
}

function validateRule({ host = '', http }: RuleFields, field: string): FieldError[] {
  const errors = host === '' ? [] : validateHost(host, `${field}.host`);
  if (isIP(host)) errors.unshift(invalid(`${field}.host`, host, 'must be a DNS name, not an IP address'));
  if (!http) return errors;
  const paths = http.paths ?? [];
  if (paths.length === 0) errors.push(required(`${field}.http.paths`));
  return [...errors, ...paths.flatMap((path, index) => validatePath(path, `${field}.http.paths[${index}]`))];
}

function validateHost(host: string, field: string): FieldError[] {
  return invalidBecause(field, host, host.includes('*') ? wildcardProblems(host) : subdomainProblems(host));
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];

function validatePath({ path = '', pathType, backend = {} }: PathFields, field: string): FieldError[] {
  if (!pathType) return [required(`${field}.pathType`, 'pathType must be specified')];
  const errors = pathTypes.includes(pathType)
    ? pathProblems(path, pathType).map((problem) => invalid(`${field}.path`, path, problem))
    : [notSupported(`${field}.pathType`, pathType, pathTypes)];
  return [...errors, ...validateBackend(backend, `${field}.backend`)];
}

const notInside = ['//', '/./', '/../', '%2f', '%2F'];
const notAtTheEnd = ['/..', '/.'];

function pathProblems(path: string, type: string): string[] {
  const relative = path.startsWith('/') ? [] : ['must be an absolute path'];
  if (type === 'ImplementationSpecific') return path === '' ? [] : relative;
  return [
    ...relative,
    ...notInside.filter((part) => path.includes(part)).map((part) => `must not contain '${part}'`),
    ...notAtTheEnd.filter((end) => path.endsWith(end)).map((end) => `cannot end with '${end}'`),
  ];
}

function validateBackend({ service, resource }: BackendFields, field: string): FieldError[] {
  if (service && resource) return [invalid(field, '', 'cannot set both resource and service backends')];
  if (resource) return validateReference(resource, `${field}.resource`);
  if (!service) return [invalid(field, '', 'resource or service backend is required')];
  const { name = '', port = {} } = service;
  const errors =
    name === ''
      ? [required(`${field}.service.name`)]
      : invalidBecause(`${field}.service.name`, name, labelProblems(name));
  return [...errors, ...validatePort(port, field)];
}

function validatePort({ name = '', number = 0 }: { name?: string; number?: number }, field: string): FieldError[] {
  if (name !== '' && number !== 0) return [invalid(field, '', 'cannot set both port name & port number')];
  if (name !== '') return invalidBecause(`${field}.service.port.name`, name, portNameProblems(name));
  if (number !== 0) return invalidBecause(`${field}.service.port.number`, number, portProblems(number));
  return [required(field, 'port name or number is required')];
}

function validateReference({ apiGroup, kind = '', name = '' }: NonNullable<BackendFields['resource']>, field: string) {
  const named = (part: string, value: string) =>
    value === ''
      ? [required(`${field}.${part}`)]
      : invalidBecause(`${field}.${part}`, value, pathSegmentProblems(value));
  return [
    ...(apiGroup ? invalidBecause(`${field}.apiGroup`, apiGroup, subdomainProblems(apiGroup)) : []),
    ...named('kind', kind),
    ...named('name', name),
  ];
}

function validateTls({ hosts, secretName = '' }: TlsFields, field: string): FieldError[] {
  return [
    ...(hosts ?? []).flatMap((host, index) => validateHost(host, `${field}.hosts[${index}]`)),
    ...(secretName === '' ? [] : invalidBecause(`${field}.secretName`, secretName, subdomainProblems(secretName))),
  ];
}

/** The first three hosts; what follows them counts rules, as upstream's column does. */
function hostsText(rules: readonly RuleFields[]): string {
  const shown: string[] = [];
  for (const { host } of rules) {
    if (shown.length === 3) return `${shown.join(',')} + ${rules.length - 3} more...`;
    if (host) shown.push(host);
  }
  return shown.join(',') || '*';
}

function addressText({ status }: KubeObject): string {
  const points: readonly { ip?: string; hostname?: string }[] = status?.loadBalancer?.ingress ?? [];
  const addresses = points.flatMap(({ ip, hostname }) => ip || hostname || []);
  return [...new Set(addresses)].sort().join(',');
}
