import type { KubeObject } from '@slipway/kube';
import type { QuotaSpec, ScopeRequirement } from '../kinds/api/resource-quotas.js';
import { qosClass } from './pod-qos.js';

/** Whether a quota is about a pod. */
export function isInScopes(spec: QuotaSpec, pod: KubeObject): boolean {
  return requirementsOf(spec).every((requirement) => meets(requirement, pod));
}

/** The scopes of a quota, whichever way it names them. */
export function requirementsOf({ scopes = [], scopeSelector }: QuotaSpec): readonly ScopeRequirement[] {
  return [
    ...scopes.map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(scopeSelector?.matchExpressions ?? []),
  ];
}

function meets({ scopeName, operator, values = [] }: ScopeRequirement, { spec }: KubeObject): boolean {
  switch (scopeName) {
    case 'Terminating':
      return isTerminating(spec);
    case 'NotTerminating':
      return !isTerminating(spec);
    case 'BestEffort':
      return qosClass(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClass(spec) !== 'BestEffort';
    case 'PriorityClass':
      return meetsValue(operator, values, spec.priorityClassName || undefined);
    case 'CrossNamespacePodAffinity':
      return affinityTerms(spec.affinity).some(
        ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector,
      );
    default:
      return false;
  }
}

/** A pod with a deadline ends by itself. */
export function isTerminating({ activeDeadlineSeconds }: KubeObject['spec']): boolean {
  return typeof activeDeadlineSeconds === 'number' && activeDeadlineSeconds >= 0;
}

function meetsValue(operator: string, values: readonly string[], value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'DoesNotExist':
      return value === undefined;
    default:
      return value !== undefined;
  }
}

interface AffinityTerm {
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: object;
}

interface Affinities {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly AffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly { readonly podAffinityTerm: AffinityTerm }[];
}

function affinityTerms(affinity: { podAffinity?: Affinities; podAntiAffinity?: Affinities } = {}): AffinityTerm[] {
  return [affinity.podAffinity, affinity.podAntiAffinity].flatMap((one) => [
    ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}
