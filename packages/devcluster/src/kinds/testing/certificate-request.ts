// The X.509 library needs the metadata polyfill to be there before it.
import 'reflect-metadata';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';

const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** `spec.request` of somebody who wants to be called `name`, with a key of their own. */
export async function aCertificateRequest(name: string): Promise<string> {
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm });
  return Buffer.from(request.toString('pem')).toString('base64');
}
