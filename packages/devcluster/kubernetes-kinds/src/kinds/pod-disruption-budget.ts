import { oneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid } from '@slipway/api-machinery/errors/field-error';
import { pathSegmentProblems } from '@slipway/api-machinery/errors/names';
import { ageColumn, countColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { LabelSelector } from '@slipway/kube';
import { type IntOrPercentField, validateAtMostAll, validateIntOrPercent } from './int-or-percent.js';
import { validateLabelSelector } from './selector-validation.js';

interface BudgetSpecFields {
  minAvailable?: IntOrPercentField;
  maxUnavailable?: IntOrPercentField;
  selector?: LabelSelector | null;
  unhealthyPodEvictionPolicy?: string;
}

export const podDisruptionBudgets = defineResource({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  namespaced: true,
  nameProblems: pathSegmentProblems,
  mustNameVersion: true,
  message: 'policy.v1.PodDisruptionBudget',
  nameRules: 'create',
  subresources: { status: true },
  generation: ['spec'],
  defaults(budget) {
    budget.spec ??= {};
  },
  initialStatus: () => ({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
  validate: ({ spec }) => validateSpec(spec),
  columns: [
    textColumn('Min Available', 'Pods that must stay.', ({ spec }) => String(spec?.minAvailable ?? 'N/A')),
    textColumn('Max Unavailable', 'Pods that may be missing.', ({ spec }) => String(spec?.maxUnavailable ?? 'N/A')),
    countColumn('Allowed Disruptions', 'Pods that may be evicted now.', ({ status }) => status?.disruptionsAllowed),
    ageColumn,
  ],
});

const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'];

function validateSpec(spec: BudgetSpecFields): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    // Named as the fields of the API server's own type are.
    const value = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: policy ?? null,
    };
    errors.push(invalid('spec', value, 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable })) {
    if (value === undefined) continue;
    errors.push(...validateIntOrPercent(value, `spec.${field}`), ...validateAtMostAll(value, `spec.${field}`));
  }
  if (selector) errors.push(...validateLabelSelector(selector, 'spec.selector'));
  errors.push(...oneOf('spec.unhealthyPodEvictionPolicy', policy, evictionPolicies));
  return errors;
}
