import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@slipway/kube';
import { afterEach, expect, test } from 'vitest';
import type { Cluster, ClusterOptions } from './cluster.js';
import { startCluster } from './start-cluster.js';

const running: Cluster[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((cluster) => cluster.stop()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function aCluster(options: ClusterOptions): Promise<Cluster> {
  const cluster = await startCluster({ nodes: 1, log: silentLog, ...options });
  running.push(cluster);
  return cluster;
}

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

test('startCluster({ tokens }) believes the tokens it is given', { timeout: 20_000 }, async () => {
  const cluster = await aCluster({ tokens: { secret: { name: 'ci', groups: ['system:authenticated'] } } });
  expect(await whoami(cluster, 'secret')).toEqual([201, 'ci']);
  expect(await whoami(cluster, 'guess')).toEqual([401, undefined]);
});

test('a token outlives a restart of its cluster, and is none elsewhere', { timeout: 40_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-sign-in-'));
  folders.push(dataDir);
  const first = await aCluster({ dataDir });
  const token = await tokenOf(first);
  const robot = 'system:serviceaccount:default:robot';
  expect(await whoami(first, token)).toEqual([201, robot]);
  await first.stop();
  expect(await whoami(await aCluster({ dataDir }), token)).toEqual([201, robot]);
  expect(await whoami(await aCluster({}), token)).toEqual([401, undefined]);
});
