import { request } from 'node:https';
import { aFolder } from '@slipway/kube-objects/testing/a-folder';
import { expect, test, vi } from 'vitest';
import type { Cluster } from './cluster.js';
import { aStartedCluster } from './testing/started-cluster.js';

const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };

/** The code of the answer, and who the server takes the bearer of a token for. */
function whoami({ url, kubeconfig }: Cluster, token: string): Promise<[number, string | undefined]> {
  const [, authority = ''] = /certificate-authority-data: (\S+)/.exec(kubeconfig) ?? [];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, ca: Buffer.from(authority, 'base64'), agent: false };
    const sent = request(new URL(path, url), options, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += String(chunk);
      });
      answer.on('end', () => resolve([answer.statusCode ?? 0, JSON.parse(text).status?.userInfo?.username]));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(review));
  });
}

async function tokenOf(cluster: Cluster): Promise<string> {
  const { transport } = cluster.kube();
  const path = '/api/v1/namespaces/default/serviceaccounts';
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
  await transport.request({ method: 'POST', path, body: account });
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [] } };
  const answer = await transport.request({ method: 'POST', path: `${path}/robot/token`, body });
  return (answer.body as { status: { token: string } }).status.token;
}

/** The token that a secret of the same account is given. */
async function tokenInSecret(cluster: Cluster): Promise<string> {
  const { transport } = cluster.kube();
  const path = '/api/v1/namespaces/default/secrets';
  const metadata = { name: 'robot', annotations: { 'kubernetes.io/service-account.name': 'robot' } };
  const body = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/service-account-token' };
  await transport.request({ method: 'POST', path, body });
  return await vi.waitFor(async () => {
    const answer = await transport.request({ method: 'GET', path: `${path}/robot` });
    const { data } = answer.body as { data?: Record<string, string> };
    expect(Object.keys(data ?? {}).sort()).toEqual(['ca.crt', 'namespace', 'token']);
    return Buffer.from(data?.token ?? '', 'base64').toString();
  }, 10_000);
}

test('startCluster({ tokens }) believes the tokens it is given', { timeout: 20_000 }, async () => {
  const cluster = await aStartedCluster({ tokens: { secret: { name: 'ci', groups: ['system:authenticated'] } } });
  expect(await whoami(cluster, 'secret')).toEqual([201, 'ci']);
  expect(await whoami(cluster, 'guess')).toEqual([401, undefined]);
});

test('tokens outlive a restart of their cluster, and are none elsewhere', { timeout: 40_000 }, async () => {
  const dataDir = aFolder();
  const first = await aStartedCluster({ dataDir });
  const tokens = [await tokenOf(first), await tokenInSecret(first)];
  const askWith = (cluster: Cluster) => Promise.all(tokens.map((token) => whoami(cluster, token)));
  const robot = 'system:serviceaccount:default:robot';
  const believed = tokens.map(() => [201, robot]);
  expect(await askWith(first)).toEqual(believed);
  await first.stop();
  expect(await askWith(await aStartedCluster({ dataDir }))).toEqual(believed);
  expect(await askWith(await aStartedCluster({}))).toEqual(tokens.map(() => [401, undefined]));
});
