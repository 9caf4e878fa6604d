import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '@slipway/kube-objects/kinds/api/certificates';

const hourMs = 3_600_000;
/** How long a request stays that was answered, and one that no answer. */
const answeredMs = hourMs;
const pendingMs = 24 * hourMs;

/** Until when a request stays, in milliseconds since the epoch; undefined as long as an approved one waits to be signed. */
export function requestEnd({ metadata, status }: CertificateSigningRequest): number | undefined {
  const { conditions = [], certificate } = status ?? {};
  if (conditions.length === 0) return ends(metadata.creationTimestamp, pendingMs);
  const all = conditions.flatMap(({ type, lastUpdateTime }) => {
    if (type === 'Approved' && !certificate) return [];
    const end = ends(lastUpdateTime, answeredMs);
    return end === undefined ? [] : [end];
  });
  const expiry = certificate && conditions.some(({ type }) => type === 'Approved') ? expiryOf(certificate) : undefined;
  if (expiry !== undefined) all.push(expiry);
  return all.length === 0 ? undefined : Math.min(...all);
}

function ends(time: string | null | undefined, afterMs: number): number | undefined {
  return time ? Date.parse(time) + afterMs : undefined;
}

/** When a certificate expires, base64 of PEM; undefined when it cannot be read, in which case nothing is removed. */
function expiryOf(certificate: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo);
  } catch {
    return undefined;
  }
}
