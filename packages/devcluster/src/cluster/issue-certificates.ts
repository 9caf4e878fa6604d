import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { type CertificateTerms, signCertificate } from './x509.js';

/** A certificate and its private key, as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const dayMs = 24 * 3_600_000;
/** Clients whose clock is a little behind accept a new certificate, too. */
const skewMs = 300_000;

/** What to issue: everything that is not there yet. */
export interface Wanted {
  readonly ca: KeyPair | undefined;
  readonly serving: KeyPair | undefined;
  readonly admin: KeyPair | undefined;
  /** Names and addresses for the serving certificate. */
  readonly names: readonly string[];
  readonly nowMs: number;
}

/** What a cluster proves itself with, and what its administrator does. */
export interface Certificates {
  readonly ca: KeyPair;
  readonly serving: KeyPair;
  /** Client certificate of a member of `system:masters`. */
  readonly admin: KeyPair;
}

/** Issues what is missing, under the authority that is there or a new one: that for ten years, the others for one. */
export function issueCertificates({ ca, serving, admin, names, nowMs }: Wanted): Certificates {
  const authority = ca ?? issue({ subject: [['CN', 'slipway']], isAuthority: true }, nowMs, 3650);
  return {
    ca: authority,
    serving:
      serving ?? issue({ subject: [['CN', 'kube-apiserver']], purpose: 'serverAuth', names }, nowMs, 365, authority),
    admin: admin ?? issue({ subject: administrator, purpose: 'clientAuth' }, nowMs, 365, authority),
  };
}

const administrator = [
  ['O', 'system:masters'],
  ['CN', 'slipway-admin'],
] as const;

type Purpose = Pick<CertificateTerms, 'subject' | 'isAuthority' | 'purpose' | 'names'>;

/** A new key, and a certificate for it; signed by itself without an authority. */
function issue(purpose: Purpose, nowMs: number, days: number, authority?: KeyPair): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const validity = { notBeforeMs: nowMs - skewMs, notAfterMs: nowMs + days * dayMs };
  const issuer = authority
    ? { certificate: authority.certificate, key: createPrivateKey(authority.key) }
    : { key: privateKey };
  return {
    certificate: signCertificate({ ...purpose, ...validity, publicKey }, issuer),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
