import type { X509Certificate } from 'node:crypto';
import { type FieldError, invalid, required, tooLong } from '@slipway/api-machinery/errors/field-error';
import { pemBlocks } from '@slipway/kube-objects/rules/pem-blocks';
import { parseCertificate } from './parse-certificate.js';
import { requestedKey } from './pod-certificate-key.js';

interface IssuedFields {
  readonly certificateChain?: string;
  readonly notBefore?: string | null;
  readonly notAfter?: string | null;
  readonly beginRefreshAt?: string | null;
}

interface AskedFields {
  readonly stubPKCS10Request?: string | null;
  readonly maxExpirationSeconds?: number;
}

const chainField = 'status.certificateChain';
const maxChain = 100 * 1024;
const minuteMs = 60_000;

/** Validates what a signer issued: a certificate for the requested key, and times that agree with it. The first error counts. */
export function validateIssued(status: IssuedFields, asked: AskedFields): FieldError[] {
  const { certificateChain: chain = '' } = status;
  if (Buffer.byteLength(chain) > maxChain) return [tooLong(chainField, maxChain)];
  const wrong = (detail: string) => [invalid(chainField, chain, detail)];
  const [first, ...more] = pemBlocks(chain);
  if (!first) return wrong('issued certificate chain must contain at least one certificate');
  if (first.type !== 'CERTIFICATE') {
    return wrong('issued certificate chain must consist entirely of CERTIFICATE PEM blocks');
  }
  const leaf = parseCertificate(first.bytes);
  if (!leaf) return wrong('leaf certificate does not parse as valid X.509');
  const names = validateDnsNames(leaf);
  if (!requestedKey(asked.stubPKCS10Request ?? '')?.equals(leaf.publicKey)) {
    return [...names, ...wrong('leaf certificate was not issued to the requested public key')];
  }
  const times = [...names, ...validateTimes(status, leaf, asked)];
  if (times.length > 0) return times;
  for (const { type, bytes } of more) {
    // The misspelled word is that of Kubernetes.
    if (type !== 'CERTIFICATE') return wrong('issued certificate chain must consist entirely of CERTFICATE PEM blocks');
    if (!parseCertificate(bytes)) return wrong('intermediate certificate does not parse as valid X.509');
  }
  return [];
}

function validateDnsNames({ subjectAltName = '' }: X509Certificate): FieldError[] {
  const names = [...subjectAltName.matchAll(/(?:^|, )DNS:([^,]*)/g)].map(([, name = '']) => name);
  return names.flatMap((name) => [
    ...(name === '' ? [invalid(chainField, name, 'leaf certificate should not contain empty DNSName')] : []),
    ...(name.includes('..') ? [invalid(chainField, name, "leaf certificate's DNSName should not contain '..'")] : []),
    ...(name.startsWith('.') || name.endsWith('.')
      ? [invalid(chainField, name, "leaf certificate's DNSName should not start or end with '.'")]
      : []),
  ]);
}

function validateTimes(status: IssuedFields, leaf: X509Certificate, asked: AskedFields): FieldError[] {
  const consistent = 'must be present and consistent with the issued certificate';
  const { notBefore, notAfter, beginRefreshAt } = status;
  if (!notBefore || !notAfter || !beginRefreshAt) {
    return [
      ...(notBefore ? [] : [required('status.notBefore', consistent)]),
      ...(notAfter ? [] : [required('status.notAfter', consistent)]),
      ...(beginRefreshAt
        ? []
        : [required('status.beginRefreshAt', 'must be present and in the range [notbefore+10min, notafter-10min]')]),
    ];
  }
  const [from, to, refresh] = [notBefore, notAfter, beginRefreshAt].map(Date.parse) as [number, number, number];
  const [leafFrom, leafTo] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  if (from !== leafFrom) {
    return [
      invalid('status.notBefore', notBefore, 'must be set to the NotBefore time encoded in the leaf certificate'),
    ];
  }
  if (to !== leafTo) {
    return [invalid('status.notAfter', notAfter, 'must be set to the NotAfter time encoded in the leaf certificate')];
  }
  const lifetimeNs = (to - from) * 1_000_000;
  const maxSeconds = asked.maxExpirationSeconds ?? 0;
  if (to - from < 60 * minuteMs) {
    return [invalid(chainField, lifetimeNs, 'leaf certificate lifetime must be >= 1 hour')];
  }
  if (to - from > maxSeconds * 1000) {
    const detail = `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${maxSeconds})`;
    return [invalid(chainField, lifetimeNs, detail)];
  }
  if (refresh < from + 10 * minuteMs) {
    return [invalid('status.beginRefreshAt', beginRefreshAt, 'must be at least 10 minutes after status.notBefore')];
  }
  return refresh > to - 10 * minuteMs
    ? [invalid('status.beginRefreshAt', beginRefreshAt, 'must be at least 10 minutes before status.notAfter')]
    : [];
}
