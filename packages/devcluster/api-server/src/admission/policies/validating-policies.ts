import { forbidden, statusError } from '@slipway/api-machinery/errors/status-errors';
import type { Authorizer } from '@slipway/api-machinery/identity/access';
import type { StatusError } from '@slipway/kube';
import type { BindingSpec } from '@slipway/kube-objects/kinds/admission-policy';
import type { Attributes } from '../../attributes/admission.js';
import { subjectName } from '../../attributes/subject-name.js';
import { matchedVersion, namespaceAround, type Surroundings } from '../matching/match-resources.js';
import type { Steps } from '../matching/steps.js';
import { type ParamSource, paramKindProblem, paramsOf } from './params.js';
import type { BoundPolicy, PolicySource } from './policy-source.js';
import { type Objection, objectionsOf, type ValidatingPolicy } from './validating-policy.js';

export interface ValidatingPoliciesDeps {
  readonly source: PolicySource<ValidatingPolicy>;
  readonly params: ParamSource;
  readonly around: Surroundings;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
}

/** An objection that refuses the request. */
interface Denial extends Objection {
  readonly policy: string;
  /** Absent where the policy cannot be asked at all. */
  readonly binding?: string;
}

/**
 * Asks every ValidatingAdmissionPolicy that is bound to a request. All are asked, so that all
 * warnings are given; the first that refuses gives the answer.
 * @throws StatusError
 */
export function* askValidatingPolicies(request: Attributes, deps: ValidatingPoliciesDeps): Steps {
  const denials: Denial[] = [];
  for (const policy of deps.source.about(request)) denials.push(...(yield* askPolicy(policy, request, deps)));
  const [first] = denials;
  if (first) throw refusal(request, first);
}

function* askPolicy(
  policy: BoundPolicy<ValidatingPolicy>,
  request: Attributes,
  deps: ValidatingPoliciesDeps,
): Steps<Denial[]> {
  const matched = matchedVersion(policy.spec.matchConstraints ?? {}, request, deps.around);
  if (!matched) return [];
  const problem = paramKindProblem(policy.spec, deps.params);
  if (problem !== undefined) {
    return policy.compiled.isFailing ? [{ policy: policy.name, message: problem, reason: 'Invalid' }] : [];
  }
  const denials: Denial[] = [];
  for (const { name, spec } of policy.bindings) {
    if (spec.matchResources && !matchedVersion(spec.matchResources, request, deps.around)) continue;
    const params = paramsOf(policy.spec, spec, request, deps.params);
    if (typeof params === 'string') {
      if (!policy.compiled.isFailing) continue;
      denials.push({ policy: policy.name, binding: name, message: params, reason: 'Invalid' });
      continue;
    }
    const asked = { request, matched, authorizer: deps.authorizer, namespace: namespaceAround(request, deps.around) };
    for (const param of params) {
      const objections = yield* objectionsOf(policy.compiled, { ...asked, params: param, policy: policy.name });
      denials.push(...objections.flatMap((objection) => act(objection, policy.name, name, spec, request)));
    }
  }
  return denials;
}

/** Does what the binding wants done about an objection. */
function act(objection: Objection, policy: string, binding: string, spec: BindingSpec, request: Attributes): Denial[] {
  const actions = spec.validationActions ?? [];
  if (actions.includes('Audit') && !objection.isUnconditional) {
    request.annotate?.(failureAnnotation, JSON.stringify([auditedFailure(objection, policy, binding, actions)]));
  }
  if (objection.isUnconditional || actions.includes('Deny')) return [{ ...objection, policy, binding }];
  if (actions.includes('Warn')) {
    request.warn(
      `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding}': ${objection.message}`,
    );
  }
  return [];
}

/** Where an audit event says which validations failed. */
const failureAnnotation = 'validation.policy.admission.k8s.io/validation_failure';

function auditedFailure(
  { message, index = 0 }: Objection,
  policy: string,
  binding: string,
  actions: readonly string[],
) {
  return { message, policy, binding, expressionIndex: index, validationActions: actions };
}

const codes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

function refusal(request: Attributes, { policy, binding, message, reason }: Denial): StatusError {
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const why = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const { status } = forbidden(request.resource, subjectName(request), why);
  return statusError(codes[reason] ?? 422, reason, status.message ?? '', {
    ...status.details,
    causes: [{ message: why }],
  });
}
