// The X.509 library needs the metadata polyfill to be there before it.
import 'reflect-metadata';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { expect, test } from 'vitest';
import { podCertificateRequests } from './pod-certificate-request.js';
import { aCertificate, aKeyPair } from './testing/certificate.js';
import { created, createErrors, now, row, updateErrors } from './testing/write.js';

/** A request for a key of that algorithm, in DER. */
async function requestFor(signingAlgorithm: AlgorithmIdentifier & object, given?: CryptoKeyPair): Promise<Buffer> {
  const made = given ?? (await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']));
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=a',
    keys: made as CryptoKeyPair,
    signingAlgorithm: signingAlgorithm as EcdsaParams,
  });
  return Buffer.from(request.rawData);
}

const der = await requestFor({ name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as AlgorithmIdentifier & object);
const fields = {
  signerName: 'example.dev/a',
  podName: 'p',
  podUID: 'u',
  serviceAccountName: 's',
  serviceAccountUID: 'v',
  nodeName: 'n',
  nodeUID: 'w',
};
const request = (more: object) => ({ spec: { ...fields, ...more } });
const stub = (bytes: Buffer) => request({ stubPKCS10Request: bytes.toString('base64') });
const forged = Buffer.from(der);
forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
const ecdsa = (namedCurve: string) => ({ name: 'ECDSA', namedCurve, hash: 'SHA-512' });
const rsa = (modulusLength: number) => ({
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength,
});
const one = 'spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';

// what is requested | what is wrong with it
const requests: [object, string[]][] = [
  [stub(der), []],
  [stub(forged), ['spec.stubPKCS10Request: Invalid value: invalid signature']],
  [stub(Buffer.from('a')), ['spec.stubPKCS10Request: Invalid value: must be a valid PKCS#10 CSR']],
  [request({}), [one]],
  [stub(await requestFor(ecdsa('P-521'))), []],
  [stub(await requestFor({ name: 'Ed25519' })), []],
  [stub(await requestFor(rsa(3072))), []],
  [
    stub(await requestFor(rsa(2048))),
    ['spec.stubPKCS10Request: Invalid value: "2048-bit modulus": RSA keys must have modulus size 3072 or 4096'],
  ],
  [
    request({ stubPKCS10Request: der.toString('base64'), maxExpirationSeconds: 60, signerName: 'kubernetes.io/a' }),
    ['spec.maxExpirationSeconds: Invalid value: 60: must be in the range [3600, 86400]'],
  ],
  [
    request({ stubPKCS10Request: der.toString('base64'), podUID: '', unverifiedUserAnnotations: { A: 'b' } }),
    [
      'spec.unverifiedUserAnnotations: Invalid value: "a": must be a domain-prefixed key (such as "acme.io/foo")',
      'spec.podUID: Invalid value: "": must not be empty',
    ],
  ],
];

test.each(requests)('PodCertificateRequest %#', (object, errors) => {
  expect(createErrors(podCertificateRequests, object)).toEqual(errors);
});

test('PodCertificateRequest lasts a day by default, and its specification cannot change', () => {
  const made = created(podCertificateRequests, stub(der));
  expect(made.spec.maxExpirationSeconds).toBe(86_400);
  expect(row(podCertificateRequests, made)).toMatchObject({ PODNAME: 'p', STATE: 'Pending' });
  const changed = request({ stubPKCS10Request: der.toString('base64'), podName: 'q' });
  expect(updateErrors(podCertificateRequests, stub(der), changed)).toEqual([
    expect.stringMatching(
      /^spec: Invalid value: \{"SignerName":"example.dev\/a","PodName":"q",.*: field is immutable$/,
    ),
  ]);
});

const keys = await aKeyPair();
const asked = stub(await requestFor(ecdsa('P-256'), keys));
const condition = (type: string, more: object = {}) => ({
  type,
  status: 'True',
  reason: 'R',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...more,
});
const at = (hours: number) => `${new Date(now + hours * 3_600_000).toISOString().slice(0, 19)}Z`;
const issued = (certificateChain: string, more: object = {}) => ({
  conditions: [condition('Issued')],
  certificateChain,
  notBefore: at(0),
  notAfter: at(24),
  beginRefreshAt: at(12),
  ...more,
});
const good = await aCertificate({ keys, dnsNames: ['a.dev'] });
const chain = (why: string) =>
  expect.stringMatching(new RegExp(`^status\\.certificateChain: Invalid value: .*: ${why}$`, 's'));

// status | what is wrong with it
const statuses: [object, unknown[]][] = [
  [issued(good), []],
  [issued(`${good}${await aCertificate({ isAuthority: true })}`), []],
  [issued(''), [chain('issued certificate chain must contain at least one certificate')]],
  [issued(await aCertificate({})), [chain('leaf certificate was not issued to the requested public key')]],
  [
    issued(await aCertificate({ keys, dnsNames: ['.a'] })),
    [chain("leaf certificate's DNSName should not start or end with '.'")],
  ],
  [
    issued(await aCertificate({ keys, hours: 0.5 }), { notAfter: at(0.5) }),
    [chain('leaf certificate lifetime must be >= 1 hour')],
  ],
  [
    issued(await aCertificate({ keys, hours: 48 }), { notAfter: at(48) }),
    [chain('leaf certificate lifetime must be <= .*')],
  ],
  [
    issued(good, { notBefore: null }),
    ['status.notBefore: Required value: must be present and consistent with the issued certificate'],
  ],
  [
    issued(good, { notAfter: at(23) }),
    [expect.stringContaining('must be set to the NotAfter time encoded in the leaf')],
  ],
  [issued(good, { beginRefreshAt: at(0) }), [expect.stringContaining('at least 10 minutes after status.notBefore')]],
  [issued(good, { beginRefreshAt: at(24) }), [expect.stringContaining('at least 10 minutes before status.notAfter')]],
  [{ conditions: [condition('Denied')] }, []],
  [
    { conditions: [condition('Failed')], notAfter: at(1) },
    [
      'status: Invalid value: non-condition status fields must be empty when denying or failing the PodCertificateRequest',
    ],
  ],
  [
    { notAfter: at(1) },
    ['status: Invalid value: status is immutable unless transitioning to "Issued", "Denied", or "Failed"'],
  ],
  [
    { conditions: [condition('Denied'), condition('Failed', { status: 'False', reason: '1' }), condition('Other')] },
    [
      'status.conditions.[1].type: Invalid value: "Failed": There may be at most one condition with type "Issued", "Denied", or "Failed"',
      'status.conditions.[1].status: Unsupported value: "False": supported values: "True"',
      'status.conditions.[2].type: Unsupported value: "Other": supported values: "Denied", "Failed", "Issued"',
      expect.stringContaining('status.conditions[1].reason: Invalid value: "1": a condition reason must start with'),
    ],
  ],
];

test.each(statuses)('a signer ends a PodCertificateRequest %#', (status, errors) => {
  expect(updateErrors(podCertificateRequests, asked, { ...asked, status }, 'status')).toEqual(errors);
});

test('what a signer said of a PodCertificateRequest stays', () => {
  const old = { ...created(podCertificateRequests, asked), status: { conditions: [condition('Denied')] } };
  const object = { ...structuredClone(old), status: { conditions: [condition('Failed')] } };
  expect(podCertificateRequests.validateUpdate(object, old, 'status')).toMatchObject([
    { field: 'status', detail: 'immutable after PodCertificateRequest is issued, denied, or failed' },
  ]);
  expect(row(podCertificateRequests, old)).toMatchObject({ STATE: 'Denied' });
});
