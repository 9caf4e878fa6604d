import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { type KubeObject, parseQuantity } from '@slipway/kube';
import type { QuotaSpec, ScopeRequirement } from '@slipway/kube-objects/kinds/api/resource-quotas';
import type { ResourceList } from '@slipway/kube-objects/kinds/resource-list';

export const resourceQuotas = defineResource({
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  namespaced: true,
  returnsDeleted: true,
  message: 'core.v1.ResourceQuota',
  nameRules: 'create',
  subresources: { status: true },
  defaults(quota) {
    quota.spec ??= {};
  },
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: ({ spec, status }, old, subresource) =>
    subresource === 'status' ? validateStatus(status ?? {}) : validateScopesKept(spec, old.spec),
  columns: [
    textColumn('Request', 'What is used and what may be, as far as it is asked for.', (quota) => usage(quota, false)),
    textColumn('Limit', 'The same for what is limited.', (quota) => usage(quota, true)),
    ageColumn,
  ],
});

/** `cpu: 1/2, pods: 3/10`. */
function usage({ status = {} }: KubeObject, isLimit: boolean): string {
  return Object.keys(status.hard ?? {})
    .filter((name) => name.startsWith('limits.') === isLimit)
    .sort()
    .map((name) => `${name}: ${status.used?.[name] ?? '0'}/${status.hard[name]}`)
    .join(', ');
}

const podCompute = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];
const counted = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const standard = new Set([
  ...podCompute,
  ...counted,
  'ephemeral-storage',
  'requests.ephemeral-storage',
  'limits.ephemeral-storage',
  'requests.storage',
]);

function validateSpec(spec: QuotaSpec): FieldError[] {
  return [...validateAmounts(spec.hard ?? {}, 'spec.hard'), ...validateScopes(spec), ...validateScopeSelector(spec)];
}

function validateStatus({ hard = {}, used = {} }: { hard?: ResourceList; used?: ResourceList }): FieldError[] {
  return [...validateAmounts(hard, 'status.hard'), ...validateAmounts(used, 'status.used')];
}

function validateAmounts(amounts: ResourceList, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name in amounts) {
    const amount = amounts[name] ?? '';
    const at = `${field}[${name}]`;
    errors.push(...validateName(name, at));
    if (plainCount.test(amount)) continue;
    const { nano } = parseQuantity(amount);
    const isWhole =
      counted.includes(name) ||
      (name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.'));
    if (nano < 0n) errors.push(invalid(at, amount, 'must be greater than or equal to 0'));
    if (isWhole && nano % 1_000_000_000n !== 0n) errors.push(invalid(at, amount, 'must be an integer'));
  }
  return errors;
}

/** Amounts of which nothing can be wrong. */
const plainCount = /^[0-9]{1,15}$/;

function validateName(name: string, field: string): FieldError[] {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) return invalidBecause(field, name, problems);
  if (name.includes('/') || standard.has(name) || /^(?:requests\.)?hugepages-/.test(name)) return [];
  const errors = [invalid(field, name, 'must be a standard resource for quota')];
  return name === 'storage'
    ? errors
    : [invalid(field, name, 'must be a standard resource type or fully qualified'), ...errors];
}

const scopeNames = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'VolumeAttributesClass',
  'CrossNamespacePodAffinity',
];

/** Whether a scope can tell apart what uses a resource. */
function isValidFor(scope: string, name: string): boolean {
  if (!standard.has(name)) return true;
  if (scope === 'BestEffort') return name === 'pods';
  if (scope === 'VolumeAttributesClass') return name === 'persistentvolumeclaims' || name === 'requests.storage';
  return !scopeNames.includes(scope) || name === 'pods' || podCompute.includes(name);
}

function hasConflict(scopes: readonly string[]): boolean {
  const both = (...pair: readonly string[]) => pair.every((scope) => scopes.includes(scope));
  return both('BestEffort', 'NotBestEffort') || both('Terminating', 'NotTerminating');
}

function validateScopes({ scopes = [], hard = {} }: QuotaSpec): FieldError[] {
  const field = 'spec.scopes';
  const names = Object.keys(hard).sort();
  return [
    ...scopes.flatMap((scope) => [
      ...(scopeNames.includes(scope) ? [] : [invalid(field, scopes, 'unsupported scope')]),
      ...names
        .filter((name) => !isValidFor(scope, name))
        .map(() => invalid(field, scopes, 'unsupported scope applied to resource')),
    ]),
    ...(hasConflict(scopes) ? [invalid(field, scopes, 'conflicting scopes')] : []),
  ];
}

function validateScopeSelector(spec: QuotaSpec): FieldError[] {
  const { scopeSelector, scopes, hard = {} } = spec;
  if (!scopeSelector) return [];
  const field = 'spec.scopeSelector.matchExpressions';
  const requirements = scopeSelector.matchExpressions ?? [];
  const names = Object.keys(hard).sort();
  return [
    ...requirements.flatMap((requirement) => [
      ...(scopeNames.includes(requirement.scopeName)
        ? []
        : [invalid(`${field}.scopeName`, requirement.scopeName, 'unsupported scope')]),
      ...names
        .filter((name) => !isValidFor(requirement.scopeName, name))
        .map(() => invalid(field, scopeSelector, 'unsupported scope applied to resource')),
      ...validateRequirement(requirement, field),
    ]),
    ...(hasConflict(requirements.map(({ scopeName }) => scopeName))
      ? [invalid(field, scopes, 'conflicting scopes')]
      : []),
  ];
}

const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
  'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';

function validateRequirement({ scopeName, operator, values = [] }: ScopeRequirement, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const hasValues = scopeName === 'PriorityClass' || scopeName === 'VolumeAttributesClass';
  if (!hasValues && scopeNames.includes(scopeName) && operator !== 'Exists') {
    errors.push(invalid(`${field}.operator`, operator, onlyExists));
  }
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return errors;
      return [
        ...errors,
        required(`${field}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"),
      ];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return errors;
      return [
        ...errors,
        invalid(
          `${field}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      ];
    default:
      return [...errors, invalid(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}

function validateScopesKept(spec: QuotaSpec, old: QuotaSpec): FieldError[] {
  const named = ({ scopes = [] }: QuotaSpec) => [...new Set(scopes)].sort().join(' ');
  return named(spec) === named(old) ? [] : [invalid('spec.scopes', spec.scopes ?? null, 'field is immutable')];
}
