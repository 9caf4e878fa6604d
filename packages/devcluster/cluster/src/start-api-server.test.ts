import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kube, type KubeObject, type ResourceRef, silentLog } from '@slipway/kube';
import { namespaces } from '@slipway/kube-objects/kinds/api/core';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { storageClasses } from '@slipway/kube-objects/kinds/api/volumes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueCertificates } from './issue-certificates.js';
import { kubeconfigText } from './kubeconfig.js';
import { type LoneServer, type LoneServerOptions, startApiServer } from './start-api-server.js';

const core = (kind: string, plural: string): ResourceRef => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced: true,
});
const services = core('Service', 'services');
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const options: LoneServerOptions = {
  bind: '127.0.0.1',
  port: 0,
  serving: undefined,
  clientAuthority: undefined,
  serviceAccountKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  serviceAccountIssuer: 'https://issuer.example.org/',
  version: '1.37',
  featureGates: {},
  authorizationModes: ['RBAC'],
  runs: (plugin) => plugin !== 'ServiceAccount',
  services: '10.0.0.0/24',
  log: silentLog,
};

const folder = mkdtempSync(join(tmpdir(), 'slipway-lone-'));
let server: LoneServer;
let kube: Kube;

beforeAll(async () => {
  const names = ['127.0.0.1'];
  const nowMs = Date.now();
  const { ca, serving, admin } = await issueCertificates({
    ca: undefined,
    serving: undefined,
    admin: undefined,
    names,
    nowMs,
  });
  server = await startApiServer({ ...options, serving, clientAuthority: ca.certificate });
  const access = { context: 'it', server: server.url, servers: [], authority: ca.certificate, ...admin };
  const path = join(folder, 'kubeconfig');
  writeFileSync(path, kubeconfigText(access));
  kube = await Kube.connect({ kubeconfig: path });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('startApiServer() has the first objects of an API server, and none of what works beside it', async () => {
  const names = async (resource: ResourceRef) =>
    (await kube.resource(resource).list()).items.map(({ metadata }) => metadata.name);
  expect(await names(namespaces)).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  expect(await names(core('ServiceAccount', 'serviceaccounts'))).toEqual([]);
  expect(await names(storageClasses)).toEqual([]);
  const { items } = await kube.resource(services).list();
  expect(items.map(({ spec }) => spec.clusterIP)).toEqual(['10.0.0.1']);
});

test('startApiServer() gives services addresses of its range, and runs the plugins that were chosen', async () => {
  const spec = { ports: [{ port: 80 }] };
  const service = await kube.resource(services).create(object('Service', 'web', spec));
  expect(service.spec.clusterIP).toBe('10.0.0.17');
  const outside = object('Service', 'far', { ...spec, clusterIP: '10.96.0.9' });
  expect(
    await kube
      .resource(services)
      .create(outside)
      .catch((error: Error) => error.message),
  ).toContain('the provided network does not match the current range');
  const pod = await kube
    .resource(pods)
    .create({ ...object('Pod', 'bare', {}), spec: { containers: [{ name: 'main', image: 'a' }] } });
  expect([pod.spec?.serviceAccountName, pod.spec?.volumes]).toEqual([undefined, undefined]);
});

test('startApiServer() signs tokens with an RSA key, under the name of its issuer', async () => {
  const accounts = kube.resource(core('ServiceAccount', 'serviceaccounts'));
  await accounts.create({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'robot', namespace: 'default' },
  });
  const ask = async (path: string, body: object) => {
    // biome-ignore lint/suspicious/noExplicitAny: reviews of several kinds
    return (await kube.transport.request({ method: 'POST', path, body })).body as any;
  };
  const apiVersion = 'authentication.k8s.io/v1';
  const asked = { apiVersion, kind: 'TokenRequest', spec: {} };
  const { status } = await ask('/api/v1/namespaces/default/serviceaccounts/robot/token', asked);
  const [header = '', claims = ''] = (status.token as string).split('.');
  expect(parsed(header).alg).toBe('RS256');
  expect(parsed(claims)).toMatchObject({ iss: options.serviceAccountIssuer, aud: [options.serviceAccountIssuer] });
  const review = { apiVersion, kind: 'TokenReview', spec: { token: status.token } };
  const reviewed = await ask(`/apis/${apiVersion}/tokenreviews`, review);
  expect(reviewed.status).toMatchObject({
    authenticated: true,
    user: { username: 'system:serviceaccount:default:robot' },
  });
});

test.each(['10.0.0.0', 'fd00::/108'])('startApiServer() rejects the range %s', async (range) => {
  await expect(startApiServer({ ...options, services: range })).rejects.toMatchObject({ reason: 'BadOption' });
});

function object(kind: string, name: string, spec: object): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name, namespace: 'default' }, spec };
}

function parsed(part: string) {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}
