import { readFileSync } from 'node:fs';

/** What a kubeconfig says about the server and its user, for TLS. */
export interface Credentials {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Reads the certificates in a kubeconfig that `slipway up` wrote. */
export function credentialsOf(kubeconfig: string): Credentials {
  const text = readFileSync(kubeconfig, 'utf8');
  const inline = (key: string) =>
    Buffer.from(new RegExp(`${key}: "?([A-Za-z0-9+/=]+)`).exec(text)?.[1] ?? '', 'base64');
  return {
    ca: inline('certificate-authority-data'),
    cert: inline('client-certificate-data'),
    key: inline('client-key-data'),
  };
}
