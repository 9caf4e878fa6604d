import type { PodCertificateRequest } from '@slipway/kube-objects/kinds/api/certificates';
import type { CertificateProjection } from '@slipway/kube-objects/kinds/pod-spec';
import { pemBlock, pemBlocks } from '@slipway/kube-objects/rules/pem-blocks';

/** A key and its certificates, as PEM; times in milliseconds since the epoch. */
export interface IssuedCertificate {
  readonly key: string;
  readonly chain: string;
  readonly beginRefreshAtMs: number;
  readonly notAfterMs: number;
  /** Of what is wrong with it an event was written. */
  readonly told?: readonly Lateness[];
}

/** A request that a signer has to answer. */
export interface PendingRequest {
  readonly name: string;
  readonly key: string;
  /** When it counts as deleted if it is not there, in milliseconds since the epoch. */
  readonly abandonAtMs: number;
}

/** How far a certificate of a volume is. A signer that denies one, or fails, is not asked again for this pod. */
export type PodCertificate =
  | { readonly kind: 'wanted'; readonly held?: IssuedCertificate }
  | { readonly kind: 'requested'; readonly request: PendingRequest; readonly held?: IssuedCertificate }
  | { readonly kind: 'issued'; readonly held: IssuedCertificate }
  | { readonly kind: 'refused'; readonly how: 'Denied' | 'Failed'; readonly reason: string; readonly message: string };

type Lateness = 'CertificateOverdueForRefresh' | 'CertificateExpired';

const overdueAfterMs = 10 * 60_000;
const lostAfterMs = 10 * 60_000;

/** How long a kubelet waits beside a time that it is told, so that not all of them come at once. */
export const maxJitterMs = 5 * 60_000;

/** A certificate whose request was just made. @param jitterMs at most `maxJitterMs` */
export function requested(
  { held }: Extract<PodCertificate, { kind: 'wanted' }>,
  { name, key }: Pick<PendingRequest, 'name' | 'key'>,
  nowMs: number,
  jitterMs: number,
): PodCertificate {
  const request = { name, key, abandonAtMs: nowMs + lostAfterMs + jitterMs };
  return { kind: 'requested', request, ...(held && { held }) };
}

/** A certificate whose time to be renewed has come is wanted again. */
export function renewed(certificate: PodCertificate, nowMs: number): PodCertificate {
  const isDue = certificate.kind === 'issued' && nowMs >= certificate.held.beginRefreshAtMs;
  return isDue ? { kind: 'wanted', held: certificate.held } : certificate;
}

/**
 * Returns what a request has come to.
 * @param found undefined when it is not there
 * @param jitterMs at most `maxJitterMs`
 */
export function answered(
  certificate: Extract<PodCertificate, { kind: 'requested' }>,
  found: PodCertificateRequest | undefined,
  nowMs: number,
  jitterMs: number,
): PodCertificate {
  const { request, held } = certificate;
  if (!found) return nowMs > request.abandonAtMs ? { kind: 'wanted', ...(held && { held }) } : certificate;
  const { conditions = [], certificateChain = '', beginRefreshAt = '', notAfter = '' } = found.status ?? {};
  for (const { type, reason = '', message = '' } of conditions) {
    if (type === 'Denied' || type === 'Failed') return { kind: 'refused', how: type, reason, message };
    if (type !== 'Issued') continue;
    const chain = pemBlocks(certificateChain).map(({ bytes }) => pemBlock('CERTIFICATE', bytes));
    return {
      kind: 'issued',
      held: {
        key: request.key,
        chain: chain.join(''),
        beginRefreshAtMs: Date.parse(beginRefreshAt) + jitterMs,
        notAfterMs: Date.parse(notAfter),
      },
    };
  }
  return certificate;
}

/** Returns what a certificate is too late for that was not told before, as reasons of events. */
export function lateness(held: IssuedCertificate | undefined, nowMs: number): readonly Lateness[] {
  if (!held) return [];
  const reasons: Lateness[] = [
    ...(nowMs > held.beginRefreshAtMs + overdueAfterMs ? (['CertificateOverdueForRefresh'] as const) : []),
    ...(nowMs > held.notAfterMs ? (['CertificateExpired'] as const) : []),
  ];
  return reasons.filter((reason) => !held.told?.includes(reason));
}

/** The files of a certificate by their paths; a string says why they cannot be written, in a kubelet's words. */
export function certificateFiles(
  certificate: PodCertificate,
  { credentialBundlePath, keyPath, certificateChainPath }: CertificateProjection,
): ReadonlyMap<string, Buffer> | string {
  if (certificate.kind === 'refused') {
    const { how, reason, message } = certificate;
    const [quotedReason, quotedMessage] = [reason, message].map((text) => JSON.stringify(text));
    return `PodCertificateRequest was permanently ${how.toLowerCase()}: reason=${quotedReason} message=${quotedMessage}`;
  }
  if (!certificate.held) return 'credential bundle is not issued yet';
  const { key, chain } = certificate.held;
  const files = [
    [credentialBundlePath, key + chain],
    [keyPath, key],
    [certificateChainPath, chain],
  ] as const;
  return new Map(files.flatMap(([path, text]) => (path ? [[path, Buffer.from(text)]] : [])));
}
