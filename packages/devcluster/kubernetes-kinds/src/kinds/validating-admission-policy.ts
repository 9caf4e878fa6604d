import { invalidBecause, oneOf, requiredOneOf } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { ageColumn, countColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { Speaking } from '@slipway/cel/kubernetes/policy-variables';
import { bool, nullType, string } from '@slipway/cel/values/cel-type';
import type { ValidatingPolicySpec } from '@slipway/kube-objects/kinds/admission-policy';
import {
  defaultMatchResources,
  failurePolicies,
  validateMatchConstraints,
  validateParamKind,
} from './admission-rules.js';
import { validateExpression, validateMatchConditions, validateVariables } from './policy-expressions.js';

export const validatingAdmissionPolicies = defineResource({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  categories: ['api-extensions'],
  namespaced: false,
  mustNameVersion: true,
  statusKeeps: 'metadata',
  message: 'admissionregistration.v1.ValidatingAdmissionPolicy',
  subresources: { status: true },
  generation: ['spec'],
  defaults(policy) {
    policy.spec ??= {};
    policy.spec.failurePolicy ??= 'Fail';
    defaultMatchResources(policy.spec.matchConstraints);
  },
  validating: ({ spec, metadata: { name = '' } }) => validatingSpec(spec, name),
  columns: [
    countColumn('Validations', 'Validations of the policy.', ({ spec }) => spec.validations?.length),
    textColumn('ParamKind', 'The kind of its parameters.', ({ spec: { paramKind } }) =>
      paramKind ? `${paramKind.apiVersion}/${paramKind.kind}` : '<unset>',
    ),
    ageColumn,
  ],
});

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const eitherOr = 'validations or auditAnnotations must contain at least one item';

/** Each expression is compiled to see whether it can be. */
function* validatingSpec(spec: ValidatingPolicySpec, name: string): Resumable<FieldError[]> {
  const { failurePolicy, paramKind, matchConstraints, matchConditions, validations = [], auditAnnotations } = spec;
  const { errors, speaking } = validateVariables(spec, 'spec.variables');
  const ofValidations: FieldError[] = [];
  for (const [index, validation] of validations.entries()) {
    ofValidations.push(...validateValidation(validation, `spec.validations[${index}]`, speaking));
    yield;
  }
  return [
    ...requiredOneOf('spec.failurePolicy', failurePolicy, failurePolicies),
    ...(paramKind ? validateParamKind(paramKind, 'spec.paramKind') : []),
    ...validateMatchConstraints(matchConstraints, 'spec.matchConstraints'),
    ...validateMatchConditions(matchConditions, 'spec.matchConditions', speaking.hasParams),
    ...errors,
    ...(validations.length === 0 && (auditAnnotations ?? []).length === 0
      ? [required('spec.validations', eitherOr), required('spec.auditAnnotations', eitherOr)]
      : []),
    ...ofValidations,
    ...validateAnnotations(auditAnnotations ?? [], name, speaking),
  ];
}

type Validation = NonNullable<ValidatingPolicySpec['validations']>[number];

function validateValidation(validation: Validation, field: string, speaking: Speaking): FieldError[] {
  const { expression = '', messageExpression = '', message = '', reason } = validation;
  const errors: FieldError[] = [];
  if (expression.trim() === '') errors.push(required(`${field}.expression`, 'expression is not specified'));
  else errors.push(...validateExpression(expression, `${field}.expression`, speaking, [bool]));

  const messageField = `${field}.messageExpression`;
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(invalid(messageField, messageExpression, 'must be non-empty if specified'));
  } else if (messageExpression !== '') {
    const withoutAuthorizer = { ...speaking, hasAuthorizer: false };
    errors.push(...validateExpression(messageExpression, messageField, withoutAuthorizer, [string]));
  }
  if (message !== '' && message.trim() === '') {
    errors.push(invalid(`${field}.message`, message, 'must be non-empty if specified'));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalid(`${field}.message`, message, 'must not contain line breaks'));
  }
  errors.push(...oneOf(`${field}.reason`, reason, reasons));
  return errors;
}

const maxAnnotations = 20;
const longestAnnotation = 5 * 1024;

function validateAnnotations(
  annotations: NonNullable<ValidatingPolicySpec['auditAnnotations']>,
  name: string,
  speaking: Speaking,
): FieldError[] {
  const field = 'spec.auditAnnotations';
  const isTwice = repeatsIn(annotations.map(({ key = '' }) => key));
  const detail = `must not have more than ${maxAnnotations} auditAnnotations`;
  return [
    ...(annotations.length > maxAnnotations ? [invalid(field, annotations, detail)] : []),
    ...annotations.flatMap(({ key = '', valueExpression = '' }, index) => [
      ...validateAnnotationKey(key, name, `${field}[${index}].key`),
      ...validateAnnotationValue(valueExpression, `${field}[${index}].valueExpression`, speaking),
      ...(isTwice(index) ? [duplicate(`${field}[${index}].key`, key)] : []),
    ]),
  ];
}

function validateAnnotationKey(key: string, name: string, field: string): FieldError[] {
  if (name === '') return [invalid(field, key, 'requires metadata.name be non-empty')];
  const qualified = `${name}/${key}`;
  return invalidBecause(field, qualified, qualifiedNameProblems(qualified));
}

function validateAnnotationValue(expression: string, field: string, speaking: Speaking): FieldError[] {
  const trimmed = expression.trim();
  if (trimmed === '') return [required(field, 'valueExpression is not specified')];
  if (Buffer.byteLength(trimmed) > longestAnnotation) {
    return [required(field, `must not exceed ${longestAnnotation} bytes in length`)];
  }
  return validateExpression(trimmed, field, speaking, [string, nullType]);
}
