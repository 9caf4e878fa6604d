// The X.509 library needs the metadata polyfill to be there before it.
import 'reflect-metadata';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Pkcs10CertificateRequest,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { CertificateOrder } from '@slipway/controllers/certificate-signing/certificate-signing-controller';
import { type KeyPair, newSerialNumber, signingKeyOf } from './issue-certificates.js';

/** Clients whose clock is a little behind accept a new certificate, too. */
const skewMs = 300_000;
/** Object identifier of the extension (RFC 5280). */
const subjectAlternativeName = '2.5.29.17';

/**
 * The certificate that a request asks for: its subject, names and key, for clients or servers as its usages say. It never
 * outlives the authority.
 * @returns PEM
 * @throws Error when the request cannot be read, or is not signed by the key it is for
 */
export async function signRequest(authority: KeyPair, order: CertificateOrder): Promise<string> {
  const request = new Pkcs10CertificateRequest(order.request);
  if (!(await request.verify())) throw new Error('the request is not signed by the key it is for');
  const issuer = new X509Certificate(authority.certificate);
  const { key, algorithm } = await signingKeyOf(authority);
  const names = request.getExtension(subjectAlternativeName);
  const usages =
    (order.usages.includes('digital signature') ? KeyUsageFlags.digitalSignature : 0) |
    (order.usages.includes('key encipherment') ? KeyUsageFlags.keyEncipherment : 0);
  const endMs = Math.min(order.nowMs + order.validSeconds * 1000, issuer.notAfter.getTime());
  const certificate = await X509CertificateGenerator.create({
    subject: request.subjectName,
    issuer: issuer.subjectName,
    serialNumber: newSerialNumber(),
    publicKey: request.publicKey,
    signingKey: key,
    signingAlgorithm: algorithm,
    notBefore: new Date(order.nowMs - skewMs),
    notAfter: new Date(endMs),
    extensions: [
      ...(usages === 0 ? [] : [new KeyUsagesExtension(usages, true)]),
      new ExtendedKeyUsageExtension(purposesOf(order)),
      new BasicConstraintsExtension(false, undefined, true),
      await AuthorityKeyIdentifierExtension.create(issuer),
      ...(names ? [names] : []),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

function purposesOf({ usages }: CertificateOrder): string[] {
  return [
    ...(usages.includes('client auth') ? [ExtendedKeyUsage.clientAuth] : []),
    ...(usages.includes('server auth') ? [ExtendedKeyUsage.serverAuth] : []),
  ];
}
