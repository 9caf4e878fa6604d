import type { LabelSelector } from '@slipway/kube';
import type { MatchResources } from './admission-matching.js';

/** A name for an expression: a match condition, or a variable. */
export interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

/** What the specs of validating and mutating policies have in common. */
export interface PolicySpec {
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly NamedExpression[];
  readonly variables?: readonly NamedExpression[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector | null;
  readonly parameterNotFoundAction?: 'Allow' | 'Deny';
}

export interface BindingSpec {
  readonly policyName: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
  readonly validationActions?: readonly ('Deny' | 'Warn' | 'Audit')[];
}

/** The spec of a ValidatingAdmissionPolicy, as far as it is not that of every policy. */
export interface ValidatingPolicySpec extends PolicySpec {
  readonly validations?: readonly {
    readonly expression: string;
    readonly message?: string;
    readonly messageExpression?: string;
    readonly reason?: string;
  }[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
}
