import { expect, test } from 'vitest';
import { apiServices } from './api-service.js';
import { created, createErrors, row, updated } from './testing/write.js';

const service = (spec: object = {}, name = 'v1beta1.custom.example.com') => ({
  metadata: { name },
  spec: { group: 'custom.example.com', version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100, ...spec },
});
const elsewhere = { service: { namespace: 'kube-system', name: 'adapter' } };

test('APIService is available when this server answers for it; of another that is found out later', () => {
  const local = created(apiServices, service());
  expect(row(apiServices, local)).toMatchObject({ SERVICE: 'Local', AVAILABLE: 'True' });
  const aggregated = created(apiServices, service(elsewhere));
  expect(aggregated.spec.service.port).toBe(443);
  expect(row(apiServices, aggregated)).toMatchObject({
    SERVICE: 'kube-system/adapter',
    AVAILABLE: 'Unknown',
  });
  expect(updated(apiServices, aggregated, service()).status.conditions).toMatchObject([{ reason: 'Local' }]);
});

// object | what is wrong with it
const invalid: [object, string[]][] = [
  [service(), []],
  [
    service({ groupPriorityMinimum: 0, insecureSkipTLSVerify: true }, 'x'),
    [
      'metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1beta1.custom.example.com"',
      'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not insecureSkipTLSVerify',
    ],
  ],
  [service({ service: { namespace: 'a' } }), ['spec.service.name: Required value']],
];

test.each(invalid)('APIService %j', (object, errors) => {
  expect(createErrors(apiServices, object)).toEqual(errors);
});
