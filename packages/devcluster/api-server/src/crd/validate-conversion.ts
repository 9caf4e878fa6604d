import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { forbidden, invalid, invalidBecause, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { dns1035Problems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { validateWebhookClient } from '@slipway/kube-objects/rules/webhook-client';
import { type CustomResourceDefinition, knownConversionReviews } from './definition-object.js';

const strategies = ['None', 'Webhook'];
const clientField = 'spec.conversion.webhookClientConfig';
const versionsField = 'spec.conversion.conversionReviewVersions';

/** Validates `spec.conversion`. The names of fields in errors are those of an older version, as in Kubernetes. */
export function validateConversion(conversion: CustomResourceDefinition['spec']['conversion']): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  const { clientConfig } = webhook ?? {};
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy === 'Webhook') {
    return [
      ...(clientConfig
        ? validateWebhookClient(clientConfig, clientField)
        : [required(clientField, 'required when strategy is set to Webhook')]),
      ...validateReviewVersions(versions),
    ];
  }
  const misplaced = (field: string) => forbidden(field, 'should not be set when strategy is not set to Webhook');
  return [
    ...(!strategy ? [required('spec.conversion.strategy', '')] : []),
    ...(strategy && strategy !== 'None' ? [notSupported('spec.conversion.strategy', strategy, strategies)] : []),
    ...(clientConfig ? [misplaced(clientField)] : []),
    ...(versions.length > 0 ? [misplaced(versionsField)] : []),
  ];
}

function validateReviewVersions(versions: readonly string[]): FieldError[] {
  if (versions.length === 0) return [required(versionsField, '')];
  const isRepeated = repeatsIn(versions);
  const errors = versions.flatMap((version, index) =>
    isRepeated(index)
      ? [invalid(`${versionsField}[${index}]`, version, 'duplicate version')]
      : invalidBecause(`${versionsField}[${index}]`, version, dns1035Problems(version)),
  );
  if (versions.some((version) => knownConversionReviews.includes(version))) return errors;
  const known = knownConversionReviews.join(', ');
  return [...errors, invalid(versionsField, versions, `must include at least one of ${known}`)];
}
