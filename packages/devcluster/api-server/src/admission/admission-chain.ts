import type { Authorizer } from '@slipway/api-machinery/identity/access';
import type { Store } from '@slipway/object-store/store';
import type {
  Admission,
  AdmissionHook,
  AdmissionPlugins,
  AdmissionRequest,
  Attributes,
} from '../attributes/admission.js';
import { type ConvertBetween, forgetVersions } from '../attributes/object-versions.js';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { WebhookDeps } from '../webhooks/ask-webhook.js';
import { Reinvocation } from './matching/reinvocation.js';
import { runSteps, type Steps } from './matching/steps.js';
import { surroundingsOf } from './matching/surroundings.js';
import { runMutatingPolicies } from './policies/mutating-policies.js';
import { compileMutatingPolicy } from './policies/mutating-policy.js';
import { PolicySource } from './policies/policy-source.js';
import { askValidatingPolicies } from './policies/validating-policies.js';
import { compileValidatingPolicy } from './policies/validating-policy.js';
import { runMutatingWebhooks, runValidatingWebhooks } from './webhooks/run-webhooks.js';
import { WebhookSource } from './webhooks/webhook-source.js';

export interface AdmissionOptions {
  /** Rules of the server itself; they run after the hooks of the plugins. */
  readonly hooks: readonly AdmissionHook[];
  readonly plugins: AdmissionPlugins;
  readonly store: Store;
  readonly definitions: DefinitionRegistry;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly webhooks: WebhookDeps;
  readonly between: ConvertBetween;
}

const group = 'admissionregistration.k8s.io';

/** Puts the steps of admission together, in the order in which Kubernetes runs them. */
export function admissionChain(options: AdmissionOptions): Admission {
  const { plugins, store, definitions, authorizer } = options;
  const hooks = [...plugins.hooks, ...options.hooks];
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
  const { between } = options;
  const policyDeps = { params: { store, definitions }, around, authorizer };
  const hookDeps = { ...options.webhooks, around, authorizer, between };
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
    for (const guard of plugins.guards) guard(request, store);
    const round = new Reinvocation();
    yield* mutateOnce(request, round);
    if (!round.isWanted) return;
    round.isAgain = true;
    yield* mutateOnce(request, round);
  }

  function* validate(request: Attributes): Steps {
    if (request.operation === 'DELETE') for (const guard of plugins.guards) guard(request, store);
    if (isExempt(request.resource)) return;
    if (request.operation === 'DELETE') {
      yield* runMutatingWebhooks(request, mutatingWebhooks, new Reinvocation());
    }
    // It was defaulted and prepared since.
    forgetVersions(request);
    for (const validator of plugins.validators) validator(request, store);
    yield* askValidatingPolicies(request, validatingPolicies);
    yield* runValidatingWebhooks(request, validatingWebhooks);
  }

  return {
    mutate: (request) => runSteps(mutate(request)),
    validate: (request) => runSteps(validate(request)),
    charge: (request) => plugins.charge(request),
    close() {
      kinds.close();
      for (const source of [...sources, plugins]) source.close();
    },
  };
}

/** Policies and webhooks never apply to each other, or a bad one could not be removed, nor to reviews. */
function isExempt({ group }: ResourceDefinition): boolean {
  return exempt.has(group);
}

const exempt = new Set([group, 'authentication.k8s.io', 'authorization.k8s.io']);
