import { requestedSubject } from '@slipway/kube-objects/rules/certificate-request';
import { expect, test } from 'vitest';
import { certificateSigningRequests } from './certificate-signing-request.js';
import { aCertificateRequest } from './testing/certificate-request.js';
import { created, createErrors, lines, row, updated, updateErrors, writing } from './testing/write.js';

const request = await aCertificateRequest('O=team-a, O=team-b, CN=jane');
const signingRequest = (more: object = {}) => ({
  spec: { request, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'], ...more },
});
const condition = (type: string, status = 'True') => ({ type, status, reason: 'R', message: 'm' });

test('requestedSubject() reads who a request is for', () => {
  expect(requestedSubject(request)).toEqual({ commonNames: ['jane'], organizations: ['team-a', 'team-b'] });
});

// what it says | what is wrong with it
const invalid: [object, string[]][] = [
  [signingRequest(), []],
  [
    signingRequest({ request: 'aGVsbG8=', signerName: 'me', usages: ['everything'], expirationSeconds: 1 }),
    [
      'spec.request: Invalid value: "aGVsbG8=": PEM block type must be CERTIFICATE REQUEST',
      expect.stringMatching(
        /^spec\.usages\[0\]: Unsupported value: "everything": supported values: "any", "cert sign", /,
      ),
      'spec.signerName: Invalid value: "me": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
      'spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 600 seconds (10 minutes)',
    ],
  ],
  [
    signingRequest({
      request: Buffer.from('-----BEGIN CERTIFICATE REQUEST-----\nMAMCAQE=\n-----END CERTIFICATE REQUEST-----').toString(
        'base64',
      ),
    }),
    [expect.stringMatching(/^spec\.request: Invalid value: .*: asn1: structure error/)],
  ],
];

test.each(invalid)('CertificateSigningRequest %#', (object, errors) => {
  expect(createErrors(certificateSigningRequests, object)).toEqual(errors);
});

test('only its approval approves a request, once and one way', () => {
  const approved = { ...signingRequest(), status: { conditions: [condition('Approved')] } };
  const errors = (after: object, subresource: string, version?: string) =>
    updateErrors(certificateSigningRequests, signingRequest(), after, subresource, version);
  expect(errors(approved, 'approval')).toEqual([]);
  expect(errors(approved, 'status')).toEqual([
    'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
  ]);
  const both = { ...signingRequest(), status: { conditions: [condition('Approved'), condition('Denied')] } };
  expect(errors(both, 'approval', '1.36')).toEqual([
    'status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
  ]);
  expect(errors(both, 'approval').join()).toMatch(/^status.conditions: .* must specify at most one of: `conditions\[/);
});

const certificateOf = (text: string) => Buffer.from(text).toString('base64');
const block = (type: string, headers = '') => `-----BEGIN ${type}-----\n${headers}YQ==\n-----END ${type}-----\n`;
// what is written to the status | before | what is wrong with it
const statuses: [object, object, string[]][] = [
  [{ certificate: certificateOf('a') }, {}, ['must contain at least one CERTIFICATE PEM block']],
  [{ certificate: certificateOf(block('KEY')) }, {}, ['only CERTIFICATE PEM blocks are allowed, found "KEY"']],
  [{ certificate: certificateOf(block('CERTIFICATE', 'A: b\n')) }, {}, ['no PEM block headers are permitted']],
  [{ certificate: certificateOf(block('CERTIFICATE')) }, {}, ['x509: malformed certificate']],
  [{}, { certificate: certificateOf('a') }, ['updates may not modify existing certificate content']],
  [{ conditions: [] }, { conditions: [condition('Failed')] }, ['updates may not remove a condition of type "Failed"']],
  [{ conditions: [{ type: 'A', status: 'Maybe' }] }, {}, ['Unsupported value: "Maybe"']],
  [{ conditions: [{ type: 'Failed', status: 'False' }] }, {}, ['Unsupported value: "False": supported values: "True"']],
  [{ conditions: [{}] }, {}, ['status.conditions[0].type: Required', 'status.conditions[0].status: Required']],
];

test.each(statuses)('the status %j after %j is refused', (status, before, says) => {
  const old = { ...created(certificateSigningRequests, signingRequest()), status: before };
  const is = { ...old, status };
  const errors = lines(certificateSigningRequests.validateUpdate(is, old, 'status', '1.37'));
  expect(errors).toEqual(says.map((text) => expect.stringContaining(text)));
});

test('approval writes conditions and metadata, nothing else, and says when', () => {
  const old = created(certificateSigningRequests, signingRequest());
  const asked = signingRequest({ usages: ['server auth'] });
  const meant = {
    ...asked,
    metadata: { annotations: { by: 'me' } },
    status: { conditions: [condition('Approved')], certificate: 'YQ==' },
  };
  const approved = updated(certificateSigningRequests, old, meant, writing({ subresource: 'approval' }));
  expect(approved.spec).toEqual(old.spec);
  expect(approved.metadata.annotations).toEqual({ by: 'me' });
  expect(approved.status).toEqual({
    conditions: [
      { ...condition('Approved'), lastUpdateTime: '2026-11-20T12:00:00Z', lastTransitionTime: '2026-11-20T12:00:00Z' },
    ],
  });
  expect(row(certificateSigningRequests, old)).toMatchObject({ CONDITION: 'Pending', REQUESTEDDURATION: '<none>' });
  expect(row(certificateSigningRequests, approved)).toMatchObject({ CONDITION: 'Approved' });
});
