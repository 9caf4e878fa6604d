import { accountUser } from '@slipway/api-machinery/identity/service-account';
import type { User } from '@slipway/api-machinery/identity/user';
import type { AdmissionReader } from '../../attributes/admission.js';

/** One object that a token is about, or stands and falls with. */
export interface Bound {
  readonly name: string;
  readonly uid: string;
}

/** What a service account's token says, under the names Kubernetes gives it. Times are seconds since the epoch. */
export interface TokenClaims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly nbf: number;
  readonly sub: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: Bound;
    readonly pod?: Bound;
    readonly secret?: Bound;
    readonly node?: Partial<Bound> & { readonly name: string };
  };
}

/** Returns the user whom the claims of a verified token name. */
export function tokenUser({ jti, 'kubernetes.io': about }: TokenClaims): User {
  const { namespace, serviceaccount, pod, node } = about;
  const extra: Record<string, readonly string[]> = { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] };
  if (node) {
    extra['authentication.kubernetes.io/node-name'] = [node.name];
    if (node.uid) extra['authentication.kubernetes.io/node-uid'] = [node.uid];
  }
  if (pod) {
    extra['authentication.kubernetes.io/pod-name'] = [pod.name];
    extra['authentication.kubernetes.io/pod-uid'] = [pod.uid];
  }
  return { ...accountUser(namespace, serviceaccount.name), uid: serviceaccount.uid, extra };
}

/** How long after an object was asked to go its tokens are still good: whoever it is may tidy up. */
const partingSeconds = 60;

/**
 * By how much clocks may differ: what the library that Kubernetes reads tokens with allows. @see
 * https://pkg.go.dev/github.com/go-jose/go-jose/v4/jwt#DefaultLeeway
 */
const leewaySeconds = 60;

/**
 * Returns why a genuine token is not valid now, undefined when it is valid. A token is invalid
 * outside its period, or when an object that it is bound to was deleted or recreated.
 */
export function tokenProblem(
  claims: TokenClaims,
  store: Pick<AdmissionReader, 'latest'>,
  nowMs: number,
): string | undefined {
  const now = nowMs / 1000;
  if (claims.exp < now - leewaySeconds) return 'service account token has expired';
  if (claims.nbf > now + leewaySeconds) return 'service account token is not valid yet';
  const { namespace, serviceaccount, secret, pod, node } = claims['kubernetes.io'];
  const goesBy = now - partingSeconds;
  const isThere = (resource: string, where: string, { name, uid }: Bound) => {
    const metadata = store.latest(resource, where, name)?.object.metadata;
    if (metadata?.uid !== uid) return false;
    return !metadata.deletionTimestamp || Date.parse(metadata.deletionTimestamp) / 1000 > goesBy;
  };
  if (!isThere('serviceaccounts', namespace, serviceaccount)) return 'service account token has been invalidated';
  if (secret && !isThere('secrets', namespace, secret)) return 'service account token has been invalidated';
  if (pod && !isThere('pods', namespace, pod)) return 'service account token has been invalidated';
  // A node named beside a pod is only told; one named alone is what the token stands and falls with.
  if (node?.uid && !pod && !isThere('nodes', '', { name: node.name, uid: node.uid })) {
    return 'service account token has been invalidated';
  }
  return undefined;
}
