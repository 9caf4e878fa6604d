import { accountUserName } from '@slipway/api-machinery/identity/service-account';
import type { KubeObject } from '@slipway/kube';

export const issuer = 'kubernetes/serviceaccount';

/** What the token in a secret says: for whom it is, and nothing of a time, since it is good as long as its secret. */
export interface SecretTokenClaims {
  readonly iss: typeof issuer;
  readonly sub: string;
  readonly 'kubernetes.io/serviceaccount/namespace': string;
  readonly 'kubernetes.io/serviceaccount/secret.name': string;
  readonly 'kubernetes.io/serviceaccount/service-account.name': string;
  readonly 'kubernetes.io/serviceaccount/service-account.uid': string;
}

/** The claims of the token that a secret is to hold. */
export function secretTokenClaims(account: KubeObject, secret: KubeObject): SecretTokenClaims {
  const { name = '', namespace = '', uid = '' } = account.metadata;
  return {
    iss: issuer,
    sub: accountUserName(namespace, name),
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secret.metadata.name ?? '',
    'kubernetes.io/serviceaccount/service-account.name': name,
    'kubernetes.io/serviceaccount/service-account.uid': uid,
  };
}

/** Whether claims that we signed are those of a token in a secret. */
export function isSecretToken(claims: object): claims is SecretTokenClaims {
  return 'iss' in claims && claims.iss === issuer;
}
