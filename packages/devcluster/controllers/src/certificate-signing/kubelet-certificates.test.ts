import type { JsonGeneralNames } from '@peculiar/x509';
import { aCertificateRequest } from '@slipway/kubernetes-kinds/kinds/testing/certificate-request';
import { expect, test } from 'vitest';
import { kubeletClientProblem, kubeletServingProblem } from './kubelet-certificates.js';

const node = 'O=system:nodes, CN=system:node:n1';
const keyUsages = ['digital signature', 'key encipherment'];
const [forClient, forServing] = [
  [...keyUsages, 'client auth'],
  [...keyUsages, 'server auth'],
];
const name = (type: 'dns' | 'email' | 'ip' | 'url', value: string) => ({ type, value });
const dns = name('dns', 'n1');

// subject | other names | usages | as a client certificate | as a serving certificate
const cases: [string, JsonGeneralNames, string[], string | undefined, string | undefined][] = [
  [node, [], forClient, undefined, 'DNS or IP subjectAltName is required'],
  [node, [], ['digital signature', 'client auth'], undefined, 'DNS or IP subjectAltName is required'],
  [node, [dns], forServing, 'DNS subjectAltNames are not allowed', undefined],
  [
    node,
    [name('ip', '10.0.0.1')],
    ['server auth', 'digital signature'],
    'IP subjectAltNames are not allowed',
    undefined,
  ],
  [
    node,
    [dns, name('email', 'n1@example.com')],
    forServing,
    'DNS subjectAltNames are not allowed',
    'Email subjectAltNames are not allowed',
  ],
  [
    node,
    [dns, name('url', 'https://n1')],
    forServing,
    'DNS subjectAltNames are not allowed',
    'URI subjectAltNames are not allowed',
  ],
  [
    node,
    [],
    ['client auth'],
    'usages did not match [client auth digital signature key encipherment]',
    'DNS or IP subjectAltName is required',
  ],
  [
    node,
    [dns],
    [...forServing, 'client auth'],
    'DNS subjectAltNames are not allowed',
    'usages did not match [digital signature key encipherment server auth]',
  ],
  [
    'O=system:nodes, O=system:masters, CN=system:node:n1',
    [],
    forClient,
    'subject organization is not system:nodes',
    'subject organization is not system:nodes',
  ],
  ['CN=system:node:n1', [dns], forServing, ...twice('subject organization is not system:nodes')],
  [
    'O=system:nodes, CN=n1',
    [],
    forClient,
    'subject common name does not begin with system:node:',
    'DNS or IP subjectAltName is required',
  ],
  [
    'O=system:nodes, CN=n1',
    [dns],
    forServing,
    'DNS subjectAltNames are not allowed',
    'subject common name does not begin with system:node:',
  ],
];

test.each(cases)('a request of %s, also called %j, for %j', async (subject, alternatives, usages, client, serving) => {
  const request = await aCertificateRequest(subject, alternatives);
  expect(kubeletClientProblem({ request, usages })).toBe(client);
  expect(kubeletServingProblem({ request, usages })).toBe(serving);
});

function twice(problem: string): [string, string] {
  return [problem, problem];
}
