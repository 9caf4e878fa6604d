import type { KubeObject, LabelSelector } from '@slipway/kube';
import type { MatchResources, Rule } from '@slipway/kube-objects/kinds/admission-matching';
import type { NamedExpression } from '@slipway/kube-objects/kinds/admission-policy';
import type { WebhookClient } from '@slipway/kube-objects/rules/webhook-client';
import { compileCommon, type PolicyExpressions } from '../policies/policy.js';

/** An entry of a webhook configuration, with its defaults. */
export interface WebhookSpec {
  readonly name: string;
  readonly clientConfig: WebhookClient;
  readonly rules?: readonly Rule[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector | null;
  readonly objectSelector?: LabelSelector | null;
  readonly matchConditions?: readonly NamedExpression[];
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  /** Of mutating webhooks. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** A webhook, ready to be called. */
export interface Webhook extends Pick<PolicyExpressions, 'matchConditions'> {
  /** Unlike any other webhook's. */
  readonly id: string;
  readonly spec: WebhookSpec;
  readonly match: MatchResources;
}

/** The webhooks of a configuration, in their order. */
export function webhooksOf(configuration: KubeObject): Webhook[] {
  const specs: readonly WebhookSpec[] = configuration.webhooks ?? [];
  return specs.map((spec) => {
    const { name, rules = [], matchPolicy = 'Equivalent', namespaceSelector, objectSelector, matchConditions } = spec;
    return {
      id: `${configuration.metadata.name}/${name}`,
      spec,
      match: {
        resourceRules: rules,
        matchPolicy,
        ...(namespaceSelector && { namespaceSelector }),
        ...(objectSelector && { objectSelector }),
      },
      matchConditions: compileCommon({ matchConditions: matchConditions ?? [] }).matchConditions,
    };
  });
}
