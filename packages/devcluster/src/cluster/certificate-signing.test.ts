import { X509Certificate } from 'node:crypto';
import { type KubeObject, type ResourceRef, StatusError } from '@slipway/kube';
import { expect, test, vi } from 'vitest';
import { aCertificateRequest } from '../kinds/testing/certificate-request.js';
import { startCluster } from './start-cluster.js';

const requests: ResourceRef = {
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  namespaced: false,
};

test('an approved request is signed by the authority of the cluster, one for administrators is refused', {
  timeout: 60_000,
}, async () => {
  const cluster = await startCluster({ nodes: 0 });
  try {
    await cluster.ready();
    const client = cluster.kube().resource(requests);
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
      return Buffer.from(status?.certificate, 'base64').toString();
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
  } finally {
    await cluster.stop();
  }
});

function authorityIn(kubeconfig: string): X509Certificate {
  const [, data = ''] = /certificate-authority-data: "?([A-Za-z0-9+/=]+)/.exec(kubeconfig) ?? [];
  return new X509Certificate(Buffer.from(data, 'base64'));
}
