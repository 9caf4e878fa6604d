import type { KubeObject } from '@slipway/kube';
import type { AdmissionReader } from '../../attributes/admission.js';
import type { User } from '../../request/request.js';
import { accountUser, accountUserName } from './token-claims.js';

/** Type of the secrets that hold a token of a service account, and the annotations that say of which. */
export const tokenSecretType = 'kubernetes.io/service-account-token';
export const accountNameAnnotation = 'kubernetes.io/service-account.name';
export const accountUidAnnotation = 'kubernetes.io/service-account.uid';

const issuer = 'kubernetes/serviceaccount';

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

/** Who such a token says its bearer is. */
export function secretTokenUser(claims: SecretTokenClaims): User {
  const { namespace, name, uid } = partsOf(claims);
  return { ...accountUser(namespace, name), uid };
}

/** Why a genuine token is not good now, in the words of Kubernetes; undefined when it is. */
export function whySecretTokenNotGood(
  claims: SecretTokenClaims,
  token: string,
  store: Pick<AdmissionReader, 'latest'>,
): string | undefined {
  const { namespace, name, uid, secretName } = partsOf(claims);
  const secret = store.latest('secrets', namespace, secretName)?.object;
  if (!secret || secret.metadata.deletionTimestamp) return 'Token has been invalidated';
  const held = Buffer.from(secret.data?.token ?? '', 'base64').toString();
  if (held !== token) return "Token does not match server's copy";
  const account = store.latest('serviceaccounts', namespace, name)?.object;
  if (!account || account.metadata.deletionTimestamp) return 'ServiceAccount has been deleted';
  return account.metadata.uid === uid ? undefined : 'ServiceAccount UID has changed';
}

function partsOf(claims: SecretTokenClaims) {
  return {
    namespace: claims['kubernetes.io/serviceaccount/namespace'],
    name: claims['kubernetes.io/serviceaccount/service-account.name'],
    uid: claims['kubernetes.io/serviceaccount/service-account.uid'],
    secretName: claims['kubernetes.io/serviceaccount/secret.name'],
  };
}
