import { clusterTrustBundles, podCertificateRequests } from '@slipway/kube-objects/kinds/api/certificates';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { until } from '@slipway/kube-objects/testing/until';
import { aCertificate } from '@slipway/kubernetes-kinds/kinds/testing/certificate';
import { issue } from '@slipway/simulated-kubelet/testing/a-signer';
import { expect, test } from 'vitest';
import { scaledClock } from './scaled-clock.js';
import { aStartedCluster } from './testing/started-cluster.js';

test('a container finds trust bundles and its certificate, which its node has the rights to request', async () => {
  const cluster = await aStartedCluster({ clock: scaledClock(10) });
  await cluster.ready();
  const kube = cluster.kube();
  const trustBundle = await aCertificate({ isAuthority: true });
  await kube.resource(clusterTrustBundles).create({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'ClusterTrustBundle',
    metadata: { name: 'example.com:signer:1' },
    spec: { signerName: 'example.com/signer', trustBundle },
  });
  const signerName = 'example.com/signer';
  const sources = [
    { clusterTrustBundle: { signerName, labelSelector: {}, path: 'ca.pem' } },
    { podCertificate: { signerName, keyType: 'ECDSAP256', certificateChainPath: 'chain.pem', keyPath: 'key.pem' } },
  ];
  const at = { namespace: 'default', name: 'p' };
  await kube.resource(pods).create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: at,
    spec: {
      restartPolicy: 'Never',
      securityContext: { fsGroup: 1000 },
      containers: [
        {
          name: 'main',
          image: 'registry.k8s.io/e2e-test-images/agnhost:2.59',
          command: ['sh', '-c', 'cat /mnt/ca.pem /mnt/chain.pem; agnhost mounttest --file_mode=/mnt/key.pem'],
          volumeMounts: [{ name: 'v', mountPath: '/mnt' }],
        },
      ],
      volumes: [{ name: 'v', projected: { sources } }],
    },
  } as never);
  const request = await until('the request', async () => {
    const { items } = await kube.resource(podCertificateRequests).list({ namespace: 'default' });
    return items[0];
  });
  const chain = await issue(kube, request);
  await until('the pod', async () => (await kube.resource(pods).get(at)).status?.phase === 'Succeeded');
  const { body } = await kube.transport.request({ method: 'GET', path: '/api/v1/namespaces/default/pods/p/log' });
  expect(body).toBe(`${trustBundle}${chain}mode of file "/mnt/key.pem": -rw-r-----\n`);
}, 30_000);
