import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { requestedSubject, signedRequest } from '@slipway/kube-objects/rules/certificate-request';
import { pemBlock } from '@slipway/kube-objects/rules/pem-blocks';
import { expect, test } from 'vitest';
import { requestKey } from './stub-request.js';

// type | hash of the signature | as Node describes the key
test.each([
  ['RSA3072', 'sha256', { modulusLength: 3072 }],
  ['RSA4096', 'sha256', { modulusLength: 4096 }],
  ['ECDSAP256', 'sha256', { namedCurve: 'prime256v1' }],
  ['ECDSAP384', 'sha384', { namedCurve: 'secp384r1' }],
  ['ECDSAP521', 'sha512', { namedCurve: 'secp521r1' }],
  ['ED25519', null, {}],
])(
  'requestKey(%s) proves that its owner has the key, and names nothing',
  async (keyType, hash, details) => {
    const { privateKey, stubRequest } = await requestKey(keyType);
    const request = Buffer.from(stubRequest, 'base64');
    const { publicKey, signed, signature } = signedRequest(request);
    const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
    expect(verify(hash, signed, key, signature)).toBe(true);
    expect(key.asymmetricKeyDetails).toMatchObject(details);
    expect(createPublicKey(createPrivateKey(privateKey)).equals(key)).toBe(true);
    expect(privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    const pem = Buffer.from(pemBlock('CERTIFICATE REQUEST', request)).toString('base64');
    expect(requestedSubject(pem)).toEqual({ commonNames: [], organizations: [] });
  },
  30_000,
);

test('requestKey() refuses a type of key that pods cannot ask for', async () => {
  await expect(requestKey('DSA')).rejects.toThrow('unknown key type "DSA"');
});
