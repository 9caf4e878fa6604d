import { createHash } from 'node:crypto';
import { type Kube, type Logger, type Runnable, renewedLease } from '@slipway/kube';

export interface ApiServerLeaseOptions {
  readonly kube: Kube;
  readonly log: Logger;
  /** Which API server it is; the same after every start. */
  readonly identity: string;
  /** Different after every start, so that a restart can be seen. */
  readonly incarnation: string;
}

/** Name of the lease by which an API server can be known: nothing of the identity itself shows in it. */
export function apiServerLeaseName(identity: string): string {
  return `apiserver-${base32(createHash('sha256').update(identity).digest().subarray(0, 16))}`;
}

/**
 * Keeps the identity lease of an API server, by which others know that it is there. The
 * lease outlives the server on purpose: that it is no longer renewed is what shows its end.
 */
export function apiServerLease({ kube, log, identity, incarnation }: ApiServerLeaseOptions): Runnable {
  const name = apiServerLeaseName(identity);
  return renewedLease(kube, log, {
    metadata: {
      name,
      namespace: 'kube-system',
      labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': identity },
    },
    holderIdentity: `${name}_${incarnation}`,
    durationSeconds: 3600,
  });
}

/** RFC 4648 without padding, in lower case. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = bits.match(/.{1,5}/g) ?? [];
  return digits.map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}
