import type { Clock } from '@slipway/kube';
import type { Authorizer } from '../../api-machinery/identity/access.js';
import { demandExpandable } from '../../kubernetes-kinds/admission/claim-expansion.js';
import { demandLimits } from '../../kubernetes-kinds/admission/limit-range/limit-ranges.js';
import { chargeQuotas } from '../../kubernetes-kinds/admission/quota/charge-quotas.js';
import type { Store } from '../../object-store/store.js';
import type { Admission, AdmissionHook, AdmissionRequest, Attributes } from '../attributes/admission.js';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { Reinvocation } from './matching/reinvocation.js';
import { runSteps, type Steps } from './matching/steps.js';
import { followObjects } from './matching/stored-objects.js';
import { surroundingsOf } from './matching/surroundings.js';
import { runMutatingPolicies } from './policies/mutating-policies.js';
import { compileMutatingPolicy } from './policies/mutating-policy.js';
import { PolicySource } from './policies/policy-source.js';
import { askValidatingPolicies } from './policies/validating-policies.js';
import { compileValidatingPolicy } from './policies/validating-policy.js';
import type { WebhookDeps } from './webhooks/call-webhook.js';
import { runMutatingWebhooks, runValidatingWebhooks } from './webhooks/run-webhooks.js';
import { WebhookSource } from './webhooks/webhook-source.js';

export interface AdmissionOptions {
  readonly hooks: readonly AdmissionHook[];
  readonly store: Store;
  readonly definitions: DefinitionRegistry;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly webhooks: WebhookDeps;
  readonly clock: Clock;
}

const group = 'admissionregistration.k8s.io';

/** Puts the steps of admission together, in the order in which Kubernetes runs them. */
export function admissionChain(options: AdmissionOptions): Admission {
  const { hooks, store, definitions, authorizer, clock } = options;
  const around = surroundingsOf(store, definitions);
  const mutating = new PolicySource({
    store,
    around,
    policies: `mutatingadmissionpolicies.${group}`,
    bindings: `mutatingadmissionpolicybindings.${group}`,
    compile: compileMutatingPolicy,
  });
  const validating = new PolicySource({
    store,
    around,
    policies: `validatingadmissionpolicies.${group}`,
    bindings: `validatingadmissionpolicybindings.${group}`,
    compile: compileValidatingPolicy,
  });
  const mutatingHooks = new WebhookSource(store, `mutatingwebhookconfigurations.${group}`, around);
  const validatingHooks = new WebhookSource(store, `validatingwebhookconfigurations.${group}`, around);
  const sources = [mutating, validating, mutatingHooks, validatingHooks];
  const kinds = definitions.onChange(() => {
    for (const source of sources) source.forget();
  });
  const quotas = followObjects(store, 'resourcequotas', () => {});
  const hasQuotas = (namespace: string) =>
    !quotas.isEmpty && quotas.all().some(({ metadata }) => metadata.namespace === namespace);
  const policyDeps = { params: { store, definitions }, around, authorizer };
  const hookDeps = { ...options.webhooks, around, authorizer };
  const mutatingPolicies = { ...policyDeps, source: mutating };
  const validatingPolicies = { ...policyDeps, source: validating };
  const mutatingWebhooks = { ...hookDeps, source: mutatingHooks };
  const validatingWebhooks = { ...hookDeps, source: validatingHooks };

  function* mutateOnce(request: AdmissionRequest, round: Reinvocation): Steps {
    for (const hook of hooks) hook(request, store);
    if (isExempt(request.resource)) return;
    yield* runMutatingPolicies(request, mutatingPolicies, round);
    yield* runMutatingWebhooks(request, mutatingWebhooks, round);
  }

  function* mutate(request: AdmissionRequest): Steps {
    const round = new Reinvocation();
    yield* mutateOnce(request, round);
    if (!round.isWanted) return;
    round.isAgain = true;
    yield* mutateOnce(request, round);
  }

  function* validate(request: Attributes): Steps {
    if (isExempt(request.resource)) return;
    if (request.operation === 'DELETE') {
      yield* runMutatingWebhooks(request, mutatingWebhooks, new Reinvocation());
    }
    demandLimits(request, store);
    demandExpandable(request, store);
    yield* askValidatingPolicies(request, validatingPolicies);
    yield* runValidatingWebhooks(request, validatingWebhooks);
  }

  return {
    mutate: (request) => runSteps(mutate(request)),
    validate: (request) => runSteps(validate(request)),
    charge: (request) => chargeQuotas(request, store, hasQuotas, clock.now()),
    close() {
      kinds.close();
      for (const source of [...sources, quotas]) source.close();
    },
  };
}

/** Policies and webhooks are never asked about each other: nobody could take a bad one away. Nor are they about reviews. */
function isExempt({ group }: ResourceDefinition): boolean {
  return exempt.has(group);
}

const exempt = new Set([group, 'authentication.k8s.io', 'authorization.k8s.io']);
