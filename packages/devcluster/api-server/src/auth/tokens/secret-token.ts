import { accountUser } from '@slipway/api-machinery/identity/service-account';
import type { User } from '@slipway/api-machinery/identity/user';
import type { SecretTokenClaims } from '@slipway/kube-objects/rules/secret-token-claims';
import type { AdmissionReader } from '../../attributes/admission.js';

/** Returns the user whom the claims of such a token name. */
export function secretTokenUser(claims: SecretTokenClaims): User {
  const { namespace, name, uid } = partsOf(claims);
  return { ...accountUser(namespace, name), uid };
}

/** Why a genuine token is not good now, in the words of Kubernetes; undefined when it is. */
export function secretTokenProblem(
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
