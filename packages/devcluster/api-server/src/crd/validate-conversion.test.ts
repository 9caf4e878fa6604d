import { describeFieldErrors } from '@slipway/api-machinery/errors/field-errors';
import { expect, test } from 'vitest';
import { validateConversion } from './validate-conversion.js';

type Conversion = Parameters<typeof validateConversion>[0];

const client = { url: 'https://hook.example.org/convert' };
const service = { name: 'hook', namespace: 'default' };
const versions = ['v1'];

// spec.conversion | what a kube-apiserver 1.37.2 says
const cases: [Conversion, string][] = [
  [undefined, ''],
  [{ strategy: 'None' }, ''],
  [{ strategy: 'Webhook', webhook: { conversionReviewVersions: versions, clientConfig: client } }, ''],
  [{ strategy: 'Webhook', webhook: { conversionReviewVersions: ['v3', 'v1beta1'], clientConfig: { service } } }, ''],
  [
    { strategy: 'Webhook' },
    '[spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook, ' +
      'spec.conversion.conversionReviewVersions: Required value]',
  ],
  [
    { strategy: 'Webhook', webhook: { conversionReviewVersions: versions, clientConfig: { ...client, service } } },
    'spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required',
  ],
  [
    {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v3', 'v3'], clientConfig: { url: 'http://a?x=1#f' } },
    },
    '[spec.conversion.webhookClientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired ' +
      'format: https://host[/path], spec.conversion.webhookClientConfig.url: Invalid value: "f": fragments are not ' +
      'permitted in the URL, spec.conversion.webhookClientConfig.url: Invalid value: "x=1": query parameters are not ' +
      'permitted in the URL, spec.conversion.conversionReviewVersions[1]: Invalid value: "v3": duplicate version, ' +
      'spec.conversion.conversionReviewVersions: Invalid value: ["v3","v3"]: must include at least one of v1, v1beta1]',
  ],
  [
    { strategy: 'None', webhook: { conversionReviewVersions: versions, clientConfig: client } },
    '[spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook, ' +
      'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook]',
  ],
  [{ strategy: 'Other' }, 'spec.conversion.strategy: Unsupported value: "Other": supported values: "None", "Webhook"'],
];

test.each(cases)('validateConversion(%j)', (conversion, expected) => {
  const found = validateConversion(conversion);
  expect(found.length === 0 ? '' : describeFieldErrors(found)).toBe(expected);
});
