import { Controller, type KubeObject, type Reconciler, refOf, retryLostRaces } from '@slipway/kube';
import { type Secret, secrets, serviceAccounts } from '@slipway/kube-objects/kinds/api/core';
import { type SecretTokenClaims, secretTokenClaims } from '@slipway/kube-objects/rules/secret-token-claims';
import { accountNameAnnotation, accountUidAnnotation, tokenSecretType } from '@slipway/kube-objects/rules/well-known';
import type { WorkloadDeps } from '../workloads/workload-deps.js';

export interface TokenSecretDeps extends WorkloadDeps {
  /** Signs with the key by which the API server knows its own tokens. */
  readonly signToken: (claims: SecretTokenClaims) => Promise<string>;
  /** Certificate of the authority that signed the API server's, in PEM. */
  readonly caCertificate: string;
}

/** Puts a token into every secret that asks for one, and takes away those whose account is gone. */
export function tokenSecretController(deps: TokenSecretDeps): Controller {
  const { caCertificate: _, signToken: __, ...rest } = deps;
  const asking = deps.informers.informer(secrets, onlyTokens).lister;
  const ofAccount = ({ metadata: { namespace, name } }: KubeObject) =>
    asking
      .list()
      .filter((secret) => secret.metadata.namespace === namespace && accountNameOf(secret) === name)
      .map(refOf);
  return new Controller({
    ...rest,
    name: 'tokens-controller',
    for: secrets,
    options: onlyTokens,
    watches: [{ of: serviceAccounts, map: ofAccount }],
    workers: 5,
    reconcile: retryLostRaces(tokenSecretReconciler(deps)),
  });
}

function tokenSecretReconciler(deps: Omit<TokenSecretDeps, 'log'>): Reconciler {
  const { kube, informers, signToken, caCertificate } = deps;
  const asking = informers.informer(secrets, onlyTokens).lister;
  const accounts = informers.informer(serviceAccounts).lister;
  const client = kube.resource(secrets);

  return async (ref, { signal }) => {
    const secret = asking.get(ref);
    if (!secret || secret.metadata.deletionTimestamp) return;
    const account = await accountOf(secret, signal);
    if (!account) {
      await client.delete(ref, { preconditions: { uid: secret.metadata.uid ?? '' }, signal });
      return;
    }
    const { data = {} } = secret;
    if (data.token && data.namespace && data['ca.crt'] === encoded(caCertificate)) return;
    const token = data.token || encoded(await signToken(secretTokenClaims(account, secret)));
    const namespace = data.namespace || encoded(ref.namespace ?? '');
    const { name = '', uid = '' } = account.metadata;
    const annotations = {
      ...secret.metadata.annotations,
      [accountNameAnnotation]: name,
      [accountUidAnnotation]: uid,
    };
    await client.replace(
      {
        ...secret,
        metadata: { ...secret.metadata, annotations },
        data: { ...data, 'ca.crt': encoded(caCertificate), namespace, token },
      },
      { signal },
    );
  };

  /** The secret may be there before one hears of its account, so the server is asked before it is given up. */
  async function accountOf(secret: Secret, signal: AbortSignal): Promise<KubeObject | undefined> {
    const ref = { namespace: secret.metadata.namespace, name: accountNameOf(secret) };
    const uid = secret.metadata.annotations?.[accountUidAnnotation];
    const isMeant = (account: KubeObject | undefined) => account && (!uid || account.metadata.uid === uid);
    const known = accounts.get(ref);
    if (isMeant(known)) return known;
    const there = await kube.resource(serviceAccounts).find(ref, signal);
    return isMeant(there) ? there : undefined;
  }
}

function accountNameOf({ metadata }: KubeObject): string {
  return metadata.annotations?.[accountNameAnnotation] ?? '';
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** One object for all who ask, so that they share an informer. */
const onlyTokens = { fieldSelector: `type=${tokenSecretType}` };
