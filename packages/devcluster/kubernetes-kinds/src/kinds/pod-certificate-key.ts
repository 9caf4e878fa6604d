import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type FieldError, invalid, tooLong } from '@slipway/api-machinery/errors/field-error';
import { omitted } from '@slipway/api-machinery/errors/field-errors';
import {
  CertificateRequestError,
  type SignedRequest,
  signedRequest,
} from '@slipway/kube-objects/rules/certificate-request';

const field = 'spec.stubPKCS10Request';
const maxBytes = 10 * 1024;

/** Validates the request (PKCS #10, in base64) that names the key of a certificate, and that the requester has the key. */
export function validateRequestedKey(encoded: string): FieldError[] {
  if (encoded === '') {
    const detail = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';
    return [invalid('spec', omitted, detail)];
  }
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > maxBytes) return [tooLong(field, maxBytes)];
  const request = readRequest(bytes);
  const key = request && publicKey(request.publicKey);
  if (!key) return [invalid(field, omitted, 'must be a valid PKCS#10 CSR')];
  const unfit = validateParameters(key);
  if (unfit) return [unfit];
  return isSigned(request, key) ? [] : [invalid(field, omitted, 'invalid signature')];
}

/** The key that a request names; undefined when it cannot be read. */
export function requestedKey(encoded: string): KeyObject | undefined {
  const request = readRequest(Buffer.from(encoded, 'base64'));
  return request && publicKey(request.publicKey);
}

const goodCurves = ['prime256v1', 'secp384r1', 'secp521r1'];
const goodModuli = [3072, 4096];

function validateParameters({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): FieldError | undefined {
  const { namedCurve = '', modulusLength = 0 } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'ed25519') return undefined;
  if (asymmetricKeyType === 'ec') {
    if (goodCurves.includes(namedCurve)) return undefined;
    const curve = namedCurve === 'secp224r1' ? 'P-224' : namedCurve;
    return invalid(field, `curve ${curve}`, 'elliptic public keys must use curve P256, P384, or P521');
  }
  if (asymmetricKeyType === 'rsa') {
    if (goodModuli.includes(modulusLength)) return undefined;
    return invalid(field, `${modulusLength}-bit modulus`, 'RSA keys must have modulus size 3072 or 4096');
  }
  return invalid(field, omitted, 'unknown public key type; supported types are Ed25519, ECDSA, and RSA');
}

/** Hashes by the encoded identifier of a signature algorithm; null where the algorithm has its own. */
const hashes: ReadonlyMap<string, string | null> = new Map([
  ['2a8648ce3d040302', 'sha256'],
  ['2a8648ce3d040303', 'sha384'],
  ['2a8648ce3d040304', 'sha512'],
  ['2a864886f70d01010b', 'sha256'],
  ['2a864886f70d01010c', 'sha384'],
  ['2a864886f70d01010d', 'sha512'],
  ['2b6570', null],
]);

function isSigned({ algorithm, signed, signature }: SignedRequest, key: KeyObject): boolean {
  const hash = hashes.get(algorithm);
  if (hash === undefined) return false;
  try {
    return verify(hash, signed, key, signature);
  } catch {
    return false;
  }
}

function readRequest(bytes: Buffer): SignedRequest | undefined {
  try {
    return signedRequest(bytes);
  } catch (error) {
    if (error instanceof CertificateRequestError) return undefined;
    throw error;
  }
}

function publicKey(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}
