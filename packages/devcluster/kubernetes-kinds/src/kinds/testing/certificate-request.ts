// The X.509 library needs the metadata polyfill to be there before it.
import 'reflect-metadata';
import {
  type JsonGeneralNames,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from '@peculiar/x509';

const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** `spec.request` for the names `name` and `alternatives`, with a new key. */
export async function aCertificateRequest(name: string, alternatives: JsonGeneralNames = []): Promise<string> {
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const extensions = alternatives.length > 0 ? [new SubjectAlternativeNameExtension(alternatives)] : [];
  const request = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm, extensions });
  return Buffer.from(request.toString('pem')).toString('base64');
}
