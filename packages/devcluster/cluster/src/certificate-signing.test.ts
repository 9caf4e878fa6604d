import { X509Certificate } from 'node:crypto';
import type { User } from '@slipway/api-machinery/identity/user';
import { type Kube, type KubeObject, StatusError } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { certificateSigningRequests } from '@slipway/kube-objects/kinds/api/certificates';
import { aCertificateRequest } from '@slipway/kubernetes-kinds/kinds/testing/certificate-request';
import { expect, test, vi } from 'vitest';
import { aStartedCluster } from './testing/started-cluster.js';

test('an approved request is signed by the authority of the cluster, one for administrators is refused', {
  timeout: 60_000,
}, async () => {
  const cluster = await aStartedCluster({ nodes: 0 });
  await cluster.ready();
  const client = cluster.kube().resource(certificateSigningRequests);
  const ask = async (name: string, subject: string, more: object = {}) => {
    const request = await aCertificateRequest(subject);
    const spec = { request, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'], ...more };
    return client.create({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec,
    });
  };
  const asked = await ask('jane', 'O=team-a, CN=jane', { expirationSeconds: 3600 });
  expect(asked.spec).toMatchObject({
    username: expect.any(String),
    groups: expect.arrayContaining(['system:masters']),
  });
  const approve = async (request: KubeObject) => {
    const conditions = [{ type: 'Approved', status: 'True', reason: 'ByHand', message: 'it is Jane' }];
    const path = `/apis/certificates.k8s.io/v1/certificatesigningrequests/${request.metadata.name}/approval`;
    const { transport } = cluster.kube();
    return transport.request({ method: 'PUT', path, body: { ...request, status: { conditions } } });
  };
  expect((await approve(asked)).status).toBe(200);
  const pem = await vi.waitFor(async () => {
    const { status } = await client.get({ name: 'jane' });
    expect(status?.certificate).toBeDefined();
    return Buffer.from(status?.certificate ?? '', 'base64').toString();
  }, 15_000);
  const certificate = new X509Certificate(pem);
  expect(certificate.subject.split('\n')).toEqual(['O=team-a', 'CN=jane']);
  expect(certificate.ca).toBe(false);
  expect(certificate.checkIssued(authorityIn(cluster.kubeconfig))).toBe(true);
  expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBe(3_900_000);

  const wrong = await ask('serving', 'CN=web', { usages: ['server auth'] });
  await approve(wrong);
  await vi.waitFor(async () => {
    const { status } = await client.get({ name: 'serving' });
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Failed', reason: 'SignerValidationFailure' }),
    );
  }, 15_000);

  const refused = ask('root', 'O=system:masters, CN=me');
  await expect(refused).rejects.toThrow(StatusError);
  await expect(refused).rejects.toThrow(
    'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
  );
});

test('requests are removed an hour after they were answered', {
  timeout: 60_000,
}, async () => {
  const hourMs = 3_600_000;
  const cluster = await aStartedCluster({ nodes: 0, ephemeral: true, clock: new ManualClock() });
  await cluster.ready();
  const client = cluster.kube().resource(certificateSigningRequests);
  const names = async () => (await client.list()).items.map(({ metadata }) => metadata.name);
  const ask = async (name: string, conditionType?: string, usage = 'client auth') => {
    const request = await aCertificateRequest(`CN=${name}`);
    const spec = { request, signerName: 'kubernetes.io/kube-apiserver-client', usages: [usage] };
    const kind = 'CertificateSigningRequest';
    await client.create({ apiVersion: 'certificates.k8s.io/v1', kind, metadata: { name }, spec });
    if (!conditionType) return;
    const condition = { type: conditionType, status: 'True', reason: 'ByHand', message: '' };
    await client.merge({ name }, { status: { conditions: [condition] } }, { subresource: 'approval' });
  };
  await ask('denied', 'Denied');
  await ask('failed', 'Approved', 'server auth');
  await ask('issued', 'Approved');
  await ask('pending');
  await cluster.advance(hourMs - 60_000);
  expect(await names()).toEqual(['denied', 'failed', 'issued', 'pending']);
  expect((await client.get({ name: 'issued' })).status?.certificate).toBeDefined();
  await cluster.advance(2 * 60_000);
  expect(await names()).toEqual(['pending']);
});

test('the certificate of a kubelet is approved where it may be asked for, and what it serves with by a person', {
  timeout: 60_000,
}, async () => {
  const cluster = await aStartedCluster({ nodes: 0 });
  await cluster.ready();
  const admin = cluster.kube();
  const ask = async (name: string, user: User, cn: string, serving = false) => {
    const request = await aCertificateRequest(
      `O=system:nodes, CN=${cn}`,
      serving ? [{ type: 'dns', value: 'n1' }] : [],
    );
    const signerName = `kubernetes.io/${serving ? 'kubelet-serving' : 'kube-apiserver-client-kubelet'}`;
    const usages = ['digital signature', 'key encipherment', serving ? 'server auth' : 'client auth'];
    return cluster.kube(user).resource(certificateSigningRequests).create({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: { request, signerName, usages },
    });
  };
  const find = (name: string) => admin.resource(certificateSigningRequests).get({ name });
  const signed = (name: string) =>
    vi.waitFor(async () => {
      const { status } = await find(name);
      expect(status?.certificate).toBeDefined();
      const pem = Buffer.from(status?.certificate ?? '', 'base64').toString();
      return { conditions: status?.conditions, certificate: new X509Certificate(pem) };
    }, 15_000);
  await bind(admin, 'system:node-bootstrapper', 'system:bootstrappers');
  await bind(admin, `${csrs}:selfnodeclient`, 'system:nodes');
  await bind(admin, `${csrs}:nodeclient`, 'system:bootstrappers:trusted');

  await ask('first', bootstrapper('system:bootstrappers:trusted'), 'system:node:n1');
  const first = await signed('first');
  expect(first.conditions).toMatchObject([
    {
      type: 'Approved',
      reason: 'AutoApproved',
      message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    },
  ]);
  expect(first.certificate.subject.split('\n')).toEqual(['O=system:nodes', 'CN=system:node:n1']);
  expect(first.certificate.keyUsage).toEqual([clientAuth]);

  await ask('renewed', node, 'system:node:n1');
  expect((await signed('renewed')).conditions).toMatchObject([
    { message: 'Auto approving self kubelet client certificate after SubjectAccessReview.' },
  ]);
  await expect(ask('another', node, 'system:node:n2')).rejects.toThrow(
    'can only create a node CSR with CN=system:node:n1',
  );

  await ask('unknown', bootstrapper(), 'system:node:n3');
  await ask('serving', node, 'system:node:n1', true);
  const byHand = { type: 'Approved', status: 'True', reason: 'ByHand', message: 'it is n1' };
  const approval = { status: { conditions: [byHand] } };
  await admin.resource(certificateSigningRequests).merge({ name: 'serving' }, approval, { subresource: 'approval' });
  const serving = await signed('serving');
  expect(serving.certificate.keyUsage).toEqual([serverAuth]);
  expect(serving.certificate.subjectAltName).toBe('DNS:n1');
  // It came before the one that is signed by now.
  expect((await find('unknown')).status?.conditions ?? []).toEqual([]);
});

const csrs = 'system:certificates.k8s.io:certificatesigningrequests';
const [serverAuth, clientAuth] = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'];
const node: User = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };

function bootstrapper(...groups: string[]): User {
  return { name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers', ...groups, 'system:authenticated'] };
}

async function bind(kube: Kube, role: string, group: string): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const bindings = { group: apiGroup, version: 'v1', kind: 'ClusterRoleBinding', plural: 'clusterrolebindings' };
  await kube.resource({ ...bindings, namespaced: false }).create({
    apiVersion: `${apiGroup}/v1`,
    kind: bindings.kind,
    metadata: { name: `${role}-of-${group}` },
    subjects: [{ kind: 'Group', name: group, apiGroup }],
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
  });
}

function authorityIn(kubeconfig: string): X509Certificate {
  const [, data = ''] = /certificate-authority-data: "?([A-Za-z0-9+/=]+)/.exec(kubeconfig) ?? [];
  return new X509Certificate(Buffer.from(data, 'base64'));
}
