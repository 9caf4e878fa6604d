import { requiredOneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import type { MutatingPolicySpec } from '@slipway/api-server/admission/policies/mutating-policy';
import { ageColumn, countColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { viewIn } from '@slipway/api-server/registry/version-view';
import { configurationType, jsonPatchType } from '@slipway/cel/kubernetes/patch-types';
import type { Speaking } from '@slipway/cel/kubernetes/policy-variables';
import type { CelType } from '@slipway/cel/values/cel-type';
import {
  defaultMatchResources,
  failurePolicies,
  mutatingOperationProblems,
  reinvocationPolicies,
  validateMatchConstraints,
  validateParamKind,
} from './admission-rules.js';
import { validateGiven, validateMatchConditions, validateVariables } from './policy-expressions.js';

/** Versions of mutating policies and their bindings, and the first and last version of Kubernetes that serves each here. */
export const mutatingPolicyVersions = [
  { version: 'v1', since: '1.36', lastIn: undefined },
  { version: 'v1beta1', since: '1.34', lastIn: '1.35' },
  { version: 'v1alpha1', since: '1.32', lastIn: '1.35' },
] as const;

/** All versions that Kubernetes has it in; they are alike. */
export const mutatingAdmissionPolicies = mutatingPolicyVersions.map(({ version, since, lastIn }) =>
  defineResource({
    group: 'admissionregistration.k8s.io',
    version,
    since,
    ...(lastIn !== undefined && { lastIn }),
    kind: 'MutatingAdmissionPolicy',
    plural: 'mutatingadmissionpolicies',
    categories: ['api-extensions'],
    namespaced: false,
    mustNameVersion: true,
    message: 'admissionregistration.v1beta1.MutatingAdmissionPolicy',
    generation: ['spec'],
    ...viewIn('admissionregistration.k8s.io', version, 'v1beta1'),
    defaults(policy) {
      policy.spec ??= {};
      policy.spec.failurePolicy ??= 'Fail';
      policy.spec.reinvocationPolicy ??= 'Never';
      defaultMatchResources(policy.spec.matchConstraints);
    },
    validating: ({ spec }) => validatingSpec(spec),
    columns: [
      countColumn('Mutations', 'Mutations of the policy.', ({ spec }) => spec.mutations?.length),
      textColumn('ParamKind', 'The kind of its parameters.', ({ spec: { paramKind } }) =>
        paramKind ? `${paramKind.apiVersion}/${paramKind.kind}` : '<unset>',
      ),
      ageColumn,
    ],
  }),
);

/** Each expression is compiled to see whether it can be. */
function* validatingSpec(spec: MutatingPolicySpec): Resumable<FieldError[]> {
  const { failurePolicy, paramKind, matchConstraints, matchConditions, mutations = [], reinvocationPolicy } = spec;
  const { errors, speaking } = validateVariables(spec, 'spec.variables');
  // Variables are known even where there are none.
  const patching = { declared: new Map<string, CelType>(), ...speaking, makesPatch: true };
  const ofMutations: FieldError[] = [];
  for (const [index, mutation] of mutations.entries()) {
    ofMutations.push(...validateMutation(mutation, `spec.mutations[${index}]`, patching));
    yield;
  }
  return [
    ...requiredOneOf('spec.failurePolicy', failurePolicy, failurePolicies),
    ...(paramKind ? validateParamKind(paramKind, 'spec.paramKind') : []),
    ...validateMatchConstraints(matchConstraints, 'spec.matchConstraints'),
    ...mutatingOperationProblems(matchConstraints, 'spec.matchConstraints'),
    ...validateMatchConditions(matchConditions, 'spec.matchConditions', speaking.hasParams),
    ...errors,
    ...(mutations.length === 0 ? [required('spec.mutations', 'mutations must contain at least one item')] : []),
    ...ofMutations,
    ...requiredOneOf('spec.reinvocationPolicy', reinvocationPolicy, reinvocationPolicies),
  ];
}

type Mutation = NonNullable<MutatingPolicySpec['mutations']>[number];

const patchTypes = {
  ApplyConfiguration: { field: 'applyConfiguration', other: 'jsonPatch', type: configurationType },
  JSONPatch: { field: 'jsonPatch', other: 'applyConfiguration', type: jsonPatchType },
} as const;

function validateMutation(mutation: Mutation, field: string, speaking: Speaking): FieldError[] {
  const { patchType } = mutation;
  if (!patchType) return [required(`${field}.patchType`)];
  if (!Object.hasOwn(patchTypes, patchType)) {
    return [notSupported(`${field}.patchType`, patchType, Object.keys(patchTypes))];
  }
  const wanted = patchTypes[patchType];
  const given = mutation[wanted.field];
  const must = given
    ? validateGiven(given.expression ?? '', `${field}.${wanted.field}.expression`, speaking, wanted.type)
    : [required(`${field}.${wanted.field}`, `must be specified when patchType is ${patchType}`)];
  const detail = `must not be specified when patchType is ${patchType}`;
  return mutation[wanted.other] ? [...must, invalid(`${field}.${wanted.other}`, `{${wanted.other}}`, detail)] : must;
}
