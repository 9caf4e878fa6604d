// The X.509 library needs the metadata polyfill to be there before it.
import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { proxyName } from './publish-authentication.js';

/** A certificate and its private key, as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 24 * 3_600_000;
/** Clients whose clock is a little behind accept a new certificate, too. */
const skewMs = 300_000;

/** What to issue: everything that is not there yet. */
export interface Wanted {
  readonly ca: KeyPair | undefined;
  readonly serving: KeyPair | undefined;
  readonly admin: KeyPair | undefined;
  readonly proxy?: KeyPair | undefined;
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
  /** Client certificate by which servers of other groups know that a request was passed on by the API server. */
  readonly proxy: KeyPair;
}

/** Issues what is missing, under the authority that is there or a new one. */
export async function issueCertificates(wanted: Wanted): Promise<Certificates> {
  const { names, nowMs } = wanted;
  const ca = wanted.ca ?? (await issueAuthority(nowMs));
  const [serving, admin, proxy] = await Promise.all([
    wanted.serving ?? issueServing(ca, names, nowMs),
    wanted.admin ?? issueClient(ca, 'O=system:masters, CN=slipway-admin', nowMs),
    wanted.proxy ?? issueClient(ca, `CN=${proxyName}`, nowMs),
  ]);
  return { ca, serving, admin, proxy };
}

/** A new certificate authority, valid for ten years. */
async function issueAuthority(nowMs: number): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=slipway',
    keys,
    serialNumber: newSerialNumber(),
    signingAlgorithm: algorithm,
    notBefore: new Date(nowMs - skewMs),
    notAfter: new Date(nowMs + 3650 * dayMs),
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pem(certificate, keys);
}

/** What the API server shows its clients, valid for one year. */
function issueServing(authority: KeyPair, names: readonly string[], nowMs: number): Promise<KeyPair> {
  const alternatives = names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const);
  return issue(authority, 'CN=kube-apiserver', nowMs, [
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(alternatives),
  ]);
}

/** What a client shows a server, valid for one year. */
function issueClient(authority: KeyPair, subject: string, nowMs: number): Promise<KeyPair> {
  return issue(authority, subject, nowMs, [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])]);
}

async function issue(authority: KeyPair, subject: string, nowMs: number, more: Extension[]): Promise<KeyPair> {
  const issuer = new X509Certificate(authority.certificate);
  const [keys, signingKey] = await Promise.all([newKeys(), importKey(authority.key)]);
  const certificate = await X509CertificateGenerator.create({
    subject,
    issuer: issuer.subject,
    serialNumber: newSerialNumber(),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    notBefore: new Date(nowMs - skewMs),
    notAfter: new Date(nowMs + 365 * dayMs),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      await AuthorityKeyIdentifierExtension.create(issuer),
      ...more,
    ],
  });
  return pem(certificate, keys);
}

/** Imports the private key of a certificate authority. */
export async function signingKeyOf({ key }: KeyPair) {
  return { key: await importKey(key), algorithm };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

function importKey(key: string): Promise<webcrypto.CryptoKey> {
  const [der] = PemConverter.decode(key);
  if (!der) throw new TypeError('the key of the certificate authority is not PEM');
  return crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
}

async function pem(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<KeyPair> {
  const der = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certificate: `${certificate.toString('pem')}\n`, key: `${PemConverter.encode(der, 'PRIVATE KEY')}\n` };
}

/** Positive and unguessable, as certificate serial numbers should be. */
export function newSerialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}
