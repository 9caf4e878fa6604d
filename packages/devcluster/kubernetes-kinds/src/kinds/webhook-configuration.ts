import { oneOf } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { subdomainProblems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import type { WebhookSpec } from '@slipway/api-server/admission/webhooks/webhook';
import { ageColumn, countColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { ResourceDefinition } from '@slipway/api-server/registry/resource-definition';
import type { KubeObject } from '@slipway/kube';
import { validateReviewVersions, validateWebhookClient } from '@slipway/kube-objects/rules/webhook-client';
import { defaultRule, failurePolicies, matchPolicies, reinvocationPolicies, validateRule } from './admission-rules.js';
import { validateMatchConditions } from './policy-expressions.js';
import { validateLabelSelector } from './selector-validation.js';

/** ValidatingWebhookConfiguration and MutatingWebhookConfiguration differ in little. */
export function webhookConfigurations(which: 'Validating' | 'Mutating'): ResourceDefinition {
  const isMutating = which === 'Mutating';
  return defineResource({
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: `${which}WebhookConfiguration`,
    plural: `${which.toLowerCase()}webhookconfigurations`,
    categories: ['api-extensions'],
    namespaced: false,
    mustNameVersion: true,
    message: `admissionregistration.v1.${which}WebhookConfiguration`,
    generation: ['webhooks'],
    defaults({ webhooks = [] }) {
      for (const webhook of webhooks) applyDefaults(webhook, isMutating);
    },
    validating: (configuration) => validatingAll(configuration),
    columns: [countColumn('Webhooks', 'Webhooks of the configuration.', ({ webhooks }) => webhooks?.length), ageColumn],
  });
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function applyDefaults(webhook: Writable<WebhookSpec>, isMutating: boolean): void {
  webhook.failurePolicy ??= 'Fail';
  webhook.matchPolicy ??= 'Equivalent';
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
  if (isMutating) webhook.reinvocationPolicy ??= 'Never';
  const service: Writable<NonNullable<WebhookSpec['clientConfig']['service']>> | undefined =
    webhook.clientConfig?.service;
  if (service) service.port ??= 443;
  for (const rule of webhook.rules ?? []) defaultRule(rule);
}

function* validatingAll({ webhooks = [] }: KubeObject): Resumable<FieldError[]> {
  const specs: readonly WebhookSpec[] = webhooks;
  const repeats = repeatsIn(specs.map(({ name }) => name));
  const errors: FieldError[] = [];
  for (const [index, webhook] of specs.entries()) {
    const field = `webhooks[${index}]`;
    errors.push(...validateWebhook(webhook, field));
    const missing = `must specify one of ${knownReviews.join(', ')}`;
    const versions = webhook.admissionReviewVersions ?? [];
    errors.push(...validateReviewVersions(versions, knownReviews, `${field}.admissionReviewVersions`, missing));
    if (webhook.name && repeats(index)) errors.push(duplicate(`${field}.name`, webhook.name));
    yield;
  }
  return errors;
}

const sideEffectClasses = ['None', 'NoneOnDryRun'];

function validateWebhook(webhook: WebhookSpec, field: string): FieldError[] {
  const { name, rules = [], sideEffects, timeoutSeconds = 10, namespaceSelector, objectSelector } = webhook;
  const known = (key: 'failurePolicy' | 'matchPolicy' | 'reinvocationPolicy', values: readonly string[]) =>
    oneOf(`${field}.${key}`, webhook[key], values);
  return [
    ...validateWebhookName(name, `${field}.name`),
    ...rules.flatMap((rule, index) => validateRule(rule, `${field}.rules[${index}]`)),
    ...known('failurePolicy', failurePolicies),
    ...known('matchPolicy', matchPolicies),
    ...validateSideEffects(sideEffects, `${field}.sideEffects`),
    ...(timeoutSeconds >= 1 && timeoutSeconds <= 30
      ? []
      : [invalid(`${field}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')]),
    ...(namespaceSelector ? validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`) : []),
    ...(objectSelector ? validateLabelSelector(objectSelector, `${field}.objectSelector`) : []),
    ...known('reinvocationPolicy', reinvocationPolicies),
    ...validateWebhookClient(webhook.clientConfig ?? {}, `${field}.clientConfig`),
    ...validateMatchConditions(webhook.matchConditions, `${field}.matchConditions`, false),
  ];
}

function validateWebhookName(name: string | undefined, field: string): FieldError[] {
  if (!name) return [required(field)];
  const problems = subdomainProblems(name);
  if (problems.length > 0) return [invalid(field, name, problems.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalid(field, name, 'should be a domain with at least three segments separated by dots')];
}

function validateSideEffects(sideEffects: string | undefined, field: string): FieldError[] {
  if (!sideEffects) return [required(field, `must specify one of ${sideEffectClasses.join(', ')}`)];
  return oneOf(field, sideEffects, sideEffectClasses);
}

const knownReviews = ['v1', 'v1beta1'];
