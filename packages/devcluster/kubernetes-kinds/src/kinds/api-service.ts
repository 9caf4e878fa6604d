import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { dns1035Problems, pathSegmentProblems } from '@slipway/api-machinery/errors/names';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import { portProblems } from './port-names.js';

interface ApiServiceSpecFields {
  group?: string;
  version?: string;
  service?: { namespace?: string; name?: string; port?: number };
  insecureSkipTLSVerify?: boolean;
  caBundle?: string | null;
  groupPriorityMinimum?: number;
  versionPriority?: number;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * Who serves a version of a group. Those of this server are `Local`, and available at once. Whether the server behind a
 * service answers, is found out afterwards.
 */
export const apiServices = defineResource({
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  categories: ['api-extensions'],
  namespaced: false,
  message: 'apiregistration.v1.APIService',
  subresources: { status: true },
  // That of the core group ends in a dot.
  nameProblems: pathSegmentProblems,
  defaults({ spec }) {
    if (spec?.service) spec.service.port ??= 443;
  },
  initialStatus: ({ spec }, { nowMs }) => (isLocal(spec ?? {}) ? { conditions: [available(undefined, nowMs)] } : {}),
  prepareForUpdate(service, old, { subresource, nowMs }) {
    if (subresource !== '' || !isLocal(service.spec ?? {})) return;
    const before: readonly Condition[] = old.status?.conditions ?? [];
    const own = before.find(({ type }) => type === 'Available');
    const others = before.filter(({ type }) => type !== 'Available');
    service.status = { ...old.status, conditions: [...others, available(own, nowMs)] };
  },
  validate: ({ metadata, spec }) => [...validateName(metadata.name ?? '', spec ?? {}), ...validateSpec(spec ?? {})],
  columns: [
    textColumn('Service', 'Who serves it.', ({ spec }) => {
      const { service }: ApiServiceSpecFields = spec ?? {};
      return service ? `${service.namespace}/${service.name}` : 'Local';
    }),
    textColumn('Available', 'Whether requests are answered.', availableText),
    ageColumn,
  ],
});

/** Groups that this server answers for itself, whoever else is said to. */
const servedHere = ['metrics.k8s.io'];

function isLocal({ group = '', service }: ApiServiceSpecFields): boolean {
  return service === undefined || servedHere.includes(group);
}

function available(before: Condition | undefined, nowMs: number): Condition {
  const lastTransitionTime =
    before?.status === 'True' ? before.lastTransitionTime : `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const message = 'Local APIServices are always available';
  return { type: 'Available', status: 'True', lastTransitionTime, reason: 'Local', message };
}

function validateName(name: string, { group = '', version = '' }: ApiServiceSpecFields): FieldError[] {
  const wanted = `${version}.${group}`;
  if (name === '' || name === wanted) return [];
  return [invalid('metadata.name', name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`)];
}

function validateSpec(spec: ApiServiceSpecFields): FieldError[] {
  const { group = '', version = '', service, insecureSkipTLSVerify = false, caBundle } = spec;
  const { groupPriorityMinimum = 0, versionPriority = 0 } = spec;
  const within = (field: string, value: number, most: number) =>
    value > 0 && value <= most ? [] : [invalid(`spec.${field}`, value, `must be positive and less than ${most}`)];
  return [
    ...(group === '' && version !== 'v1'
      ? [required('spec.group', 'only v1 may have an empty group and it better be legacy kube')]
      : []),
    ...invalidBecause('spec.version', version, dns1035Problems(version)),
    ...within('groupPriorityMinimum', groupPriorityMinimum, 20_000),
    ...within('versionPriority', versionPriority, 1_000),
    ...(service ? validateService(service) : validateLocal(insecureSkipTLSVerify, caBundle)),
    ...(service && insecureSkipTLSVerify && caBundle
      ? [invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')]
      : []),
  ];
}

function validateLocal(insecure: boolean, caBundle: string | null | undefined): FieldError[] {
  return [
    ...(caBundle
      ? [
          invalid(
            'spec.caBundle',
            `${Buffer.from(caBundle, 'base64').length} bytes`,
            'local APIServices may not have a caBundle',
          ),
        ]
      : []),
    ...(insecure
      ? [invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not insecureSkipTLSVerify')]
      : []),
  ];
}

function validateService({ namespace = '', name = '', port = 443 }: NonNullable<ApiServiceSpecFields['service']>) {
  return [
    ...(namespace === '' ? [required('spec.service.namespace')] : []),
    ...(name === '' ? [required('spec.service.name')] : []),
    ...portProblems(port).map((problem) => invalid('spec.service.port', port, `port is not valid: ${problem}`)),
  ];
}

function availableText({ status }: KubeObject): string {
  const conditions: readonly Condition[] = status?.conditions ?? [];
  const available = conditions.find(({ type }) => type === 'Available');
  if (!available) return 'Unknown';
  return available.status === 'True' ? 'True' : `${available.status} (${available.reason})`;
}
