import type { KubeObject, LabelSelector } from '@slipway/kube';
import type { MatchResources, Rule } from '@slipway/kube-objects/kinds/admission-matching';
import type { NamedExpression } from '@slipway/kube-objects/kinds/admission-policy';
import { compileCommon, type PolicyExpressions } from '../policies/policy.js';

/** Where a webhook listens: an address, or a service of the cluster. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** Certificates that its server is believed by, in PEM, in base64. Absent = those of the system. */
  readonly caBundle?: string;
}

/** An entry of a webhook configuration, with its defaults. */
export interface WebhookSpec {
  readonly name: string;
  readonly clientConfig: ClientConfig;
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
