import { forbidden, internalError, statusError } from '@slipway/api-machinery/errors/status-errors';
import type { Authorizer } from '@slipway/api-machinery/identity/access';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { cloneJson, type KubeObject, StatusError } from '@slipway/kube';
import type { AdmissionRequest } from '../../attributes/admission.js';
import { servedAs, takeOver, writtenAs } from '../../attributes/object-versions.js';
import { subjectName } from '../../attributes/subject-name.js';
import type { ResourceDefinition } from '../../registry/resource-definition.js';
import { matchedVersion, namespaceAround, type Surroundings } from '../matching/match-resources.js';
import type { Reinvocation } from '../matching/reinvocation.js';
import type { Steps } from '../matching/steps.js';
import type { Asked } from './activation.js';
import { meetsConditions } from './match-conditions.js';
import { type MutatingPolicy, mutate } from './mutating-policy.js';
import { MutationError } from './mutations.js';
import { type ParamSource, paramKindProblem, paramsOf } from './params.js';
import type { BoundPolicy, PolicySource } from './policy-source.js';

export interface MutatingPoliciesDeps {
  readonly source: PolicySource<MutatingPolicy>;
  readonly params: ParamSource;
  readonly around: Surroundings;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
}

/** A policy with one of its bindings and parameters, about to change an object. */
interface Invocation {
  readonly policy: BoundPolicy<MutatingPolicy>;
  readonly binding: string;
  readonly matched: ResourceDefinition;
  readonly params: KubeObject | undefined;
}

/**
 * Lets every MutatingAdmissionPolicy that is bound to a request change its object, one after the other.
 * @throws StatusError when one that fails closed cannot
 */
export function* runMutatingPolicies(
  request: AdmissionRequest,
  deps: MutatingPoliciesDeps,
  round: Reinvocation,
): Steps {
  const unbound: string[] = [];
  let isMutated = false;
  const problems: string[] = [];
  for (const policy of deps.source.about(request)) {
    const matched = matchedVersion(policy.spec.matchConstraints ?? {}, request, deps.around);
    if (!matched) continue;
    const problem = paramKindProblem(policy.spec, deps.params);
    if (problem !== undefined) {
      if (policy.compiled.isFailing) unbound.push(`policy ${JSON.stringify(policy.name)} denied request: ${problem}`);
      continue;
    }
    for (const { name: binding, spec } of policy.bindings) {
      if (spec.matchResources && !matchedVersion(spec.matchResources, request, deps.around)) continue;
      const params = paramsOf(policy.spec, spec, request, deps.params);
      const { isFailing } = policy.compiled;
      if (typeof params === 'string') {
        if (isFailing) unbound.push(denial(policy.name, binding, params));
        continue;
      }
      const invocations = params.map((param) => ({ policy, binding, matched, params: param }));
      const outcome = yield* invokeAll(invocations, request, deps, round);
      isMutated ||= outcome.isMutated;
      if (isFailing) problems.push(...outcome.problems.map((why) => denial(policy.name, binding, why)));
    }
  }
  // In Kubernetes policies that want to see changes see their own, too.
  if (isMutated) round.changed();
  // Bindings that cannot be used come first, and have no reason of their own.
  if (unbound.length > 0) throw refusal(request, 'Forbidden', [...unbound, ...problems]);
  if (problems.length > 0) throw refusal(request, 'Invalid', problems);
}

interface Outcome {
  /** What kept policies from changing the object. */
  readonly problems: readonly string[];
  /** Whether a mutation was made, even one that changes nothing. */
  readonly isMutated: boolean;
}

function* invokeAll(
  invocations: readonly Invocation[],
  request: AdmissionRequest,
  deps: MutatingPoliciesDeps,
  round: Reinvocation,
): Steps<Outcome> {
  const problems: string[] = [];
  let isMutated = false;
  for (const invocation of invocations) {
    const { policy, binding, params } = invocation;
    const { name = '', namespace = '' } = params?.metadata ?? {};
    const who = [policy.name, binding, namespace, name].join('/');
    if (!round.isDue(who)) continue;
    const asked = askedOf(invocation, request, deps);
    const met = yield* meetsConditions(policy.compiled.matchConditions, asked);
    if (typeof met === 'object') problems.push(met.problem);
    if (met !== true) continue;
    const before = cloneJson(request.object);
    const failures = changeObject(invocation, request, deps);
    problems.push(...failures);
    isMutated ||= failures.length < policy.compiled.mutations.length;
    if (!equalJson(before, request.object)) round.changed();
    if (policy.compiled.isReinvoked) round.ran(who);
  }
  return { problems, isMutated };
}

function askedOf(
  { policy, matched, params }: Invocation,
  request: AdmissionRequest,
  deps: MutatingPoliciesDeps,
): Asked {
  const namespace = namespaceAround(request, deps.around);
  return { request, matched, authorizer: deps.authorizer, namespace, params, variables: policy.compiled.variables };
}

function changeObject(invocation: Invocation, request: AdmissionRequest, deps: MutatingPoliciesDeps): string[] {
  const { policy, matched } = invocation;
  const problems: string[] = [];
  const kind = writtenAs(matched, request);
  for (const mutation of policy.compiled.mutations) {
    const object = servedAs(matched, request, request.object) ?? request.object;
    try {
      const made = mutate(mutation, askedOf(invocation, request, deps), object, kind.schema.root);
      if (made === object) continue;
      const unknown = takeOver(matched, request, made);
      if (unknown.length > 0 && kind.origin === 'built-in') throw strictDecoding(unknown);
    } catch (error) {
      if (error instanceof StatusError && error.code === 400) {
        // A value of a wrong type is a mistake of the policy, not of the request.
        throw internalError(error.message.replace(/^.* cannot be handled as a \w+: /, ''));
      }
      if (!(error instanceof MutationError)) throw error;
      problems.push(error.message);
    }
  }
  return problems;
}

function strictDecoding(unknown: readonly string[]): StatusError {
  const fields = unknown.map((path) => `unknown field "${path}"`).join(', ');
  return internalError(`strict decoding error: ${fields}`);
}

function denial(policy: string, binding: string, why: string): string {
  return `policy '${policy}' with binding '${binding}' denied request: ${why}`;
}

function refusal(request: AdmissionRequest, reason: string, problems: readonly string[]): StatusError {
  const { status } = forbidden(request.resource, subjectName(request), '');
  const causes = problems.map((message) => ({ message }));
  return statusError(403, reason, problems[0] ?? '', { ...status.details, causes });
}
