import { X509Certificate } from 'node:crypto';

/** The certificate that DER encodes; undefined when it does not encode one. */
export function parseCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}
