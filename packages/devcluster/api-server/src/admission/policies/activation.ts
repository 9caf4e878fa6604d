import type { Authorizer } from '@slipway/api-machinery/identity/access';
import { Budget } from '@slipway/cel/budget';
import { jsonValue } from '@slipway/cel/kubernetes/json-value';
import { authorizerValue, resourceCheckValue } from '@slipway/cel/library/authorizer';
import { Failure, fail } from '@slipway/cel/values/failure';
import { ObjectValue, type Value } from '@slipway/cel/values/values';
import type { KubeObject } from '@slipway/kube';
import type { Attributes } from '../../attributes/admission.js';
import { servedAs } from '../../attributes/object-versions.js';
import { reviewRequest } from '../../attributes/review-request.js';
import type { ResourceDefinition } from '../../registry/resource-definition.js';
import type { Expression } from './policy.js';

/** What expressions are asked about. */
export interface Asked {
  readonly request: Attributes;
  /** The version of the resource by which the policy matched. */
  readonly matched: ResourceDefinition;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly namespace?: KubeObject | undefined;
  readonly params?: KubeObject | undefined;
  readonly variables?: ReadonlyMap<string, Expression>;
}

/** The values of the variables for one request, and what evaluating with them may cost. */
export class Activation {
  readonly budget: Budget;
  readonly #values: Readonly<Record<string, Value>>;

  constructor(asked: Asked, units: number) {
    this.budget = new Budget(units);
    this.#values = valuesOf(asked, (name, expression) => this.#variable(name, expression));
  }

  /**
   * The value of an expression, or a Failure with the text that the client sees.
   * @throws OutOfBudgetError
   */
  evaluate(expression: Expression): Value {
    if (typeof expression === 'string') return fail(`compilation error: ${expression}`);
    const value = this.budget.run(expression, this.#values);
    return value instanceof Failure
      ? fail(`expression '${expression.source}' resulted in error: ${value.message}`)
      : value;
  }

  #variable(name: string, expression: Expression): Value {
    if (typeof expression === 'string') return fail(`composited variable "${name}" fails to compile: ${expression}`);
    const value = this.budget.run(expression, this.#values);
    return value instanceof Failure ? fail(`composited variable "${name}" fails to evaluate: ${value.message}`) : value;
  }
}

function valuesOf(
  { request, matched, authorizer, namespace, params, variables }: Asked,
  evaluate: (name: string, expression: Expression) => Value,
): Readonly<Record<string, Value>> {
  const { user, resource, subresource, namespace: where, name } = request;
  const about = { group: resource.group, version: resource.version, resource: resource.plural, subresource, name };
  return {
    object: jsonValue(servedAs(matched, request, request.object)),
    oldObject: jsonValue(servedAs(matched, request, request.old)),
    namespaceObject: jsonValue(namespace),
    request: jsonValue(reviewRequest(request, matched)),
    params: jsonValue(params),
    authorizer: authorizerValue(authorizer, user),
    'authorizer.requestResource': resourceCheckValue(authorizer, user, { ...about, namespace: where }),
    variables: new ObjectValue(
      'kubernetes.variables',
      new Map([...(variables ?? [])].map(([variable, expression]) => [variable, () => evaluate(variable, expression)])),
    ),
  };
}
