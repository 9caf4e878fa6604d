import { type FieldError, forbidden, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { validateReviewVersions, validateWebhookClient } from '@slipway/kube-objects/rules/webhook-client';
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
      ...validateReviewVersions(versions, knownConversionReviews, versionsField, ''),
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
