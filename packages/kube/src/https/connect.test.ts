import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { inClusterAccess } from '../config/in-cluster.js';
import { ManualClock } from '../testing/manual-clock.js';

const folder = mkdtempSync(join(tmpdir(), 'kube-connect-'));
const server = http.createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ authorization: request.headers.authorization, agent: request.headers['user-agent'] }));
});
let address = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

function kubeconfig(name: string, user: unknown): string {
  const path = join(folder, name);
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: address } }],
    users: [{ name: 'u', user }],
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

async function whoAmI(kube: Kube): Promise<unknown> {
  return (await kube.transport.request({ method: 'GET', path: '/whoami' })).body;
}

test('Kube.connect() uses a token file and reads it again after a minute', async () => {
  const token = join(folder, 'token');
  writeFileSync(token, 'first\n');
  const clock = new ManualClock();
  const kube = await Kube.connect({
    kubeconfig: kubeconfig('with-file', { tokenFile: 'token' }),
    clock,
    userAgent: 'me',
  });
  expect(await whoAmI(kube)).toEqual({ authorization: 'Bearer first', agent: 'me' });
  writeFileSync(token, 'second\n');
  expect(await whoAmI(kube)).toMatchObject({ authorization: 'Bearer first' });
  await clock.advance(60_000);
  expect(await whoAmI(kube)).toMatchObject({ authorization: 'Bearer second' });
  rmSync(token);
  await clock.advance(60_000);
  expect(await whoAmI(kube)).toMatchObject({ authorization: 'Bearer second' });
});

test('Kube.connect() names the file that cannot be read', async () => {
  const path = join(folder, 'missing');
  await expect(Kube.connect({ kubeconfig: path })).rejects.toMatchObject({
    name: 'KubeconfigError',
    message: `the kubeconfig ${path} cannot be read`,
  });
});

test('inClusterAccess() uses the service account of the pod', async () => {
  writeFileSync(join(folder, 'token'), 'pod-token');
  writeFileSync(join(folder, 'ca.crt'), 'CA');
  const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  const access = await inClusterAccess(environment, new ManualClock(), folder);
  expect(access?.server).toBe('https://[fd00::1]:443');
  expect(await access?.credentials()).toMatchObject({ headers: { authorization: 'Bearer pod-token' } });
  expect(await inClusterAccess({}, new ManualClock(), folder)).toBeUndefined();
});
