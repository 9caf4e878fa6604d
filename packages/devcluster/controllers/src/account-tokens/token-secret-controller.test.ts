import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import type { Kube, KubeObject, ResourceRef } from '@slipway/kube';
import { type Secret, secrets, serviceAccounts } from '@slipway/kube-objects/kinds/api/core';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

const account = { namespace: 'default', name: 'robot' };
const ref = { namespace: 'default', name: 'key' };
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';
const tokenReviews: ResourceRef = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
};

async function setUp(kube: Kube) {
  const makeAccount = () =>
    kube.resource(serviceAccounts).create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...account } });
  const client = kube.resource(secrets);
  const ask = (annotations: Record<string, string> = {}, data?: Secret['data']) =>
    client.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...ref, annotations: { [nameAnnotation]: 'robot', ...annotations } },
      type: 'kubernetes.io/service-account-token',
      ...(data && { data }),
    } as KubeObject);
  const filled = () =>
    until('the secret to be filled', async () => {
      const secret = await client.get(ref);
      return secret.data?.token !== undefined && secret;
    });
  const gone = () => until('the secret to go', async () => (await client.find(ref)) === undefined);
  const reviewOf = async (secret: Secret) => {
    const token = Buffer.from(secret.data?.token ?? '', 'base64').toString();
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token } };
    return (await kube.resource(tokenReviews).create(review)).status;
  };
  return { client, makeAccount, ask, filled, gone, reviewOf };
}

test('a secret that asks for a token of an account gets it, and the server believes it', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const { makeAccount, ask, filled, reviewOf } = await setUp(cluster.kube);
  const { uid } = (await makeAccount()).metadata;
  await ask({}, { extra: 'eA==' });
  const secret = await filled();
  expect(secret.metadata.annotations).toEqual({ [nameAnnotation]: 'robot', [uidAnnotation]: uid });
  const { token = '', ...rest } = secret.data ?? {};
  expect(rest).toEqual({
    'ca.crt': Buffer.from('PEM').toString('base64'),
    namespace: Buffer.from('default').toString('base64'),
    extra: 'eA==',
  });
  const claims = Buffer.from(token, 'base64').toString().split('.')[1] ?? '';
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
    iss: 'kubernetes/serviceaccount',
    sub: 'system:serviceaccount:default:robot',
    'kubernetes.io/serviceaccount/namespace': 'default',
    'kubernetes.io/serviceaccount/secret.name': 'key',
    'kubernetes.io/serviceaccount/service-account.name': 'robot',
    'kubernetes.io/serviceaccount/service-account.uid': uid,
  });
  expect(await reviewOf(secret)).toEqual({
    authenticated: true,
    audiences: ['https://kubernetes.default.svc.cluster.local'],
    user: {
      username: 'system:serviceaccount:default:robot',
      uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    },
  });
});

test('a token that is taken out of its secret is another one, and the former is not believed any more', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const { client, makeAccount, ask, filled, reviewOf } = await setUp(cluster.kube);
  await makeAccount();
  await ask();
  const first = await filled();
  await client.merge(ref, { data: { token: null } } as never);
  const second = await filled();
  expect(await reviewOf(second)).toMatchObject({ authenticated: true });
  const isOther = second.data?.token !== first.data?.token;
  expect(isOther).toBe(true);
  expect(await reviewOf(first)).toMatchObject({
    error: "[invalid bearer token, Token does not match server's copy]",
  });
});

test('a token ends with its secret, and the secret with its account', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const { client, makeAccount, ask, filled, gone, reviewOf } = await setUp(cluster.kube);
  await makeAccount();
  await ask();
  const first = await filled();
  await client.delete(ref);
  const ended = { error: '[invalid bearer token, Token has been invalidated]' };
  expect(await reviewOf(first)).toMatchObject(ended);
  await ask();
  const second = await filled();
  await cluster.kube.resource(serviceAccounts).delete(account);
  await gone();
  expect(await reviewOf(second)).toMatchObject(ended);
});

test('a secret for an account that is not there, or that is another of its name, goes', async () => {
  await using cluster = await aCluster({ nodes: 0 });
  const { makeAccount, ask, gone } = await setUp(cluster.kube);
  await ask();
  await gone();
  await makeAccount();
  await ask({ [uidAnnotation]: 'of-another' });
  await gone();
});
