import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { templateClaim } from './template-claim.js';

// name of the pod | entry | prefix of the claim
const prefixes: [string, string, string][] = [
  ['web', 'gpu', 'web-gpu-'],
  ['p'.repeat(40), 'gpu', `${'p'.repeat(40)}-gpu-`],
  ['p'.repeat(60), 'e'.repeat(20), `${'p'.repeat(41)}-${'e'.repeat(13)}`],
];

test.each(prefixes)('templateClaim() of %s and %s begins with %s', (pod, entry, prefix) => {
  const template = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: {},
    spec: { spec: {} },
  };
  expect(templateClaim(aPod(pod), entry, template).metadata.generateName).toBe(prefix);
});
