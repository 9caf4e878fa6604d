// The X.509 library needs the metadata polyfill to be there before it.
import 'reflect-metadata';
import { BasicConstraintsExtension, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';
import { now } from './write.js';

const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A key pair for certificates: ECDSA on P-256. */
export async function aKeyPair(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
}

/** A certificate in PEM, signed by itself; it begins at `now` and is valid for a day. */
export async function aCertificate(options: {
  readonly keys?: CryptoKeyPair;
  readonly isAuthority?: boolean;
  readonly dnsNames?: readonly string[];
  readonly hours?: number;
}): Promise<string> {
  const { keys = await aKeyPair(), isAuthority, dnsNames = [], hours = 24 } = options;
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=a',
    keys,
    signingAlgorithm,
    notBefore: new Date(now),
    notAfter: new Date(now + hours * 3_600_000),
    extensions: [
      ...(isAuthority ? [new BasicConstraintsExtension(true)] : []),
      ...(dnsNames.length > 0
        ? [new SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: 'dns' as const, value })))]
        : []),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}
