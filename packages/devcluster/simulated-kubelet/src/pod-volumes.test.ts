import { createPrivateKey, X509Certificate } from 'node:crypto';
import { inprocTransport } from '@slipway/api-server/transport/inproc-transport';
import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { admin, aServer } from '@slipway/devcluster/testing/a-server';
import { Events, Kube } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { clusterTrustBundles, podCertificateRequests } from '@slipway/kube-objects/kinds/api/certificates';
import { configMaps, secrets, serviceAccounts } from '@slipway/kube-objects/kinds/api/core';
import { type Node, nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { aCertificate } from '@slipway/kubernetes-kinds/kinds/testing/certificate';
import { expect, test } from 'vitest';
import { PodDisk } from './exec/pod-disk.js';
import { PodVolumes } from './pod-volumes.js';
import { issue, refuse } from './testing/a-signer.js';

const namespace = 'default';
const signerName = 'example.com/signer';
const podCertificate = { signerName, keyType: 'ECDSAP256', keyPath: 'key', certificateChainPath: 'chain' };
const [one, other] = [await aCertificate({ isAuthority: true }), await aCertificate({ isAuthority: true })];

const aBundle = (name: string, trustBundle: string) => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'ClusterTrustBundle',
  metadata: { name },
  spec: { trustBundle },
});

function aPodWith(...sources: object[]): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace },
    spec: {
      nodeName: 'n1',
      serviceAccountName: 'default',
      containers: [{ name: 'main', image: 'image', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
      volumes: [{ name: 'v', projected: { sources } }],
    },
  } as unknown as Pod;
}

/** The volumes of a pod on a node, over an API server. */
async function setUp(...sources: object[]) {
  const { api, clock } = await aServer();
  const kube = new Kube(inprocTransport(api, admin), { clock, random: () => 0 });
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } };
  await kube.resource(serviceAccounts).create(account);
  const node = await kube.resource(nodes).create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } } as Node);
  const pod = await kube.resource(pods).create(aPodWith(...sources));
  const disk = new PodDisk();
  const events: string[] = [];
  const volumes = new PodVolumes({
    kube,
    nodes: { diskOf: () => disk },
    node: () => node,
    profile: { mountsImages: true },
    tell: (_, type, reason, message) => events.push(`${type} ${reason}: ${message}`),
  });
  return {
    kube,
    clock,
    events,
    volumes,
    pod,
    text: (path: string, source = 0) => disk.brought('v', source).get(path)?.toString(),
    async request() {
      const { items } = await kube.resource(podCertificateRequests).list({ namespace });
      const [last] = items.sort((a, b) => Number(b.metadata.resourceVersion) - Number(a.metadata.resourceVersion));
      if (!last) throw new Error('nothing was requested');
      return last;
    },
  };
}

const failed = (why: string) => `Warning FailedMount: MountVolume.SetUp failed for volume "v" : ${why}`;
const notIssued = failed('credential bundle is not issued yet');

test('a trust bundle is waited for, and followed when it changes', async () => {
  const source = { clusterTrustBundle: { name: 'b', path: 'ca.pem' } };
  const { kube, clock, events, volumes, pod, text } = await setUp(source);
  expect(await volumes.mount(pod)).toEqual({ isMounted: false, againInMs: 1_000 });
  const notFound = 'clustertrustbundle.certificates.k8s.io "b" not found';
  expect(events).toEqual([failed(`while getting ClusterTrustBundle: ${notFound}`)]);

  const bundle = await kube.resource(clusterTrustBundles).create(aBundle('b', `${one}a text\n`));
  expect(await volumes.mount(pod)).toEqual({ isMounted: true, againInMs: 10_000 });
  expect(text('ca.pem')).toBe(one);
  await kube.resource(clusterTrustBundles).replace({ ...bundle, spec: { trustBundle: other } });
  await clock.advance(4_000);
  expect(await volumes.refresh(pod)).toEqual({ isMounted: true, againInMs: 6_000 });
  expect(text('ca.pem')).toBe(one);
  await clock.advance(6_000);
  await volumes.refresh(pod);
  expect(text('ca.pem')).toBe(other);
  await kube.resource(clusterTrustBundles).delete({ name: 'b' });
  await clock.advance(10_000);
  await volumes.refresh(pod);
  expect([text('ca.pem'), events.length]).toEqual([other, 2]);
});

test('a volume of a ConfigMap and a Secret waits for both, ever longer, and is not looked at again', async () => {
  const sources = [{ configMap: { name: 'm' } }, { secret: { name: 's', items: [{ key: 'a', path: 'a' }] } }];
  const { kube, events, volumes, pod } = await setUp(...sources);
  expect(await volumes.mount(pod)).toEqual({ isMounted: false, againInMs: 1_000 });
  await kube.resource(configMaps).create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace } });
  expect(await volumes.mount(pod)).toEqual({ isMounted: false, againInMs: 2_000 });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace } };
  const made = await kube.resource(secrets).create(secret);
  expect(await volumes.mount(pod)).toEqual({ isMounted: false, againInMs: 4_000 });
  for (let tries = 0; tries < 4; tries++) await volumes.mount(pod);
  expect(await volumes.mount(pod)).toEqual({ isMounted: false, againInMs: 16_000 });
  expect([...new Set(events)]).toEqual([
    failed('[configmap "m" not found, secret "s" not found]'),
    failed('secret "s" not found'),
    failed('references non-existent secret key: a'),
  ]);
  await kube.resource(secrets).replace({ ...made, data: { a: 'QQ==' } });
  expect(await volumes.mount(pod)).toEqual({ isMounted: true });
  expect(await volumes.refresh(pod)).toEqual({ isMounted: true });
});

test('what is missing of one volume is told in one event', async () => {
  const sources = ['a', 'b', 'b'].map((name) => ({ clusterTrustBundle: { name, path: name } }));
  const { events, volumes, pod } = await setUp(...sources.slice(0, 2), {
    clusterTrustBundle: { name: 'b', path: 'c' },
  });
  await volumes.mount(pod);
  const why = ['a', 'b'].map(
    (name) => `while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io "${name}" not found`,
  );
  expect(events).toEqual([failed(`[${why.join(', ')}]`)]);
});

test('a certificate is requested, waited for, and renewed with another key', async () => {
  const annotated = { ...podCertificate, maxExpirationSeconds: 7_200, userAnnotations: { 'example.com/a': 'b' } };
  const { kube, clock, events, volumes, pod, text, request } = await setUp({ podCertificate: annotated });
  expect((await volumes.mount(pod)).isMounted).toBe(false);
  const first = await request();
  expect(first.metadata).toMatchObject({ namespace, ownerReferences: [{ kind: 'Pod', uid: pod.metadata.uid }] });
  expect(first.metadata.name).toMatch(/^req-/);
  expect(first.spec).toMatchObject({
    signerName,
    podName: 'p',
    podUID: pod.metadata.uid,
    serviceAccountName: 'default',
    nodeName: 'n1',
    maxExpirationSeconds: 7_200,
    unverifiedUserAnnotations: { 'example.com/a': 'b' },
  });
  expect((await volumes.mount(pod)).isMounted).toBe(false);
  expect(events).toEqual([notIssued, notIssued]);

  const chain = await issue(kube, first);
  expect((await volumes.mount(pod)).isMounted).toBe(true);
  const isPair = () => new X509Certificate(text('chain') ?? '').checkPrivateKey(createPrivateKey(text('key') ?? ''));
  expect([text('chain'), isPair()]).toEqual([chain, true]);
  const key = text('key');

  await clock.advance(3_600_000);
  expect((await volumes.refresh(pod)).isMounted).toBe(true);
  const second = await request();
  expect([second.metadata.name === first.metadata.name, text('key')]).toEqual([false, key]);
  await clock.advance(10_000);
  const renewedChain = await issue(kube, second);
  await volumes.refresh(pod);
  expect([text('chain'), text('key') === key, isPair()]).toEqual([renewedChain, false, true]);
});

test('a certificate that is not renewed in time is told to be late, and then expired', async () => {
  const { kube, clock, events, volumes, pod, request } = await setUp({ podCertificate });
  await volumes.mount(pod);
  await issue(kube, await request());
  await volumes.mount(pod);
  events.length = 0;
  for (const minutes of [69, 2, 1, 24 * 60, 1]) {
    await clock.advance(minutes * 60_000);
    await volumes.refresh(pod);
  }
  expect(events).toEqual([
    'Warning CertificateOverdueForRefresh: PodCertificate refresh overdue',
    'Warning CertificateExpired: PodCertificate expired',
  ]);
});

test.each(['Denied', 'Failed'] as const)('a request that is %s is not repeated', async (type) => {
  const { kube, events, volumes, pod, request } = await setUp({ podCertificate });
  await volumes.mount(pod);
  const made = await request();
  await refuse(kube, made, type);
  events.length = 0;
  expect((await volumes.mount(pod)).isMounted).toBe(false);
  const did = type === 'Denied' ? 'was denied' : 'failed';
  const told = `PodCertificateRequest default/${made.metadata.name} ${did}, reason="NotMine", message="it is not mine"`;
  const why = `PodCertificateRequest was permanently ${type.toLowerCase()}: reason="NotMine" message="it is not mine"`;
  expect(events).toEqual([`Warning ${type}: NotMine%!(EXTRA string=${told})`, failed(why)]);
  expect((await volumes.mount(pod)).isMounted).toBe(false);
  expect((await request()).metadata.name).toBe(made.metadata.name);
});

test('a request that was deleted is repeated after ten minutes', async () => {
  const { kube, clock, volumes, pod, request } = await setUp({ podCertificate });
  await volumes.mount(pod);
  const { name = '' } = (await request()).metadata;
  await kube.resource(podCertificateRequests).delete({ namespace, name });
  await clock.advance(600_000);
  await volumes.mount(pod);
  await expect(request()).rejects.toThrow('nothing was requested');
  await clock.advance(1_000);
  await volumes.mount(pod);
  await volumes.mount(pod);
  expect((await request()).metadata.name).not.toBe(name);
});

test('a pod whose volumes are not there is not started, and is when they are', async () => {
  const clock = new ManualClock();
  await using cluster = await aCluster({ nodes: 1, clock });
  const { kube } = cluster;
  const step = async (ms: number) => {
    for (let at = 0; at < ms; at += 100) await clock.advance(100);
  };
  const statusOf = async () => {
    const { status } = await kube.resource(pods).get({ namespace, name: 'p' });
    return {
      phase: status?.phase,
      conditions: status?.conditions?.flatMap(({ type, status: is }) => (is === 'True' ? [type] : [])),
      waits: status?.containerStatuses?.map(({ state }) => state.waiting?.reason),
      hasAddress: status?.podIP !== undefined,
    };
  };
  await step(1_000);
  await kube.resource(pods).create(aPodWith({ clusterTrustBundle: { name: 'b', path: 'ca.pem' } }));
  await step(2_000);
  expect(await statusOf()).toEqual({
    phase: 'Pending',
    conditions: ['Initialized', 'PodScheduled'],
    waits: ['ContainerCreating'],
    hasAddress: false,
  });
  await cluster.replaceKubelets();
  await step(2_000);
  expect((await statusOf()).waits).toEqual(['ContainerCreating']);
  const { items } = await kube.resource(Events).list({ namespace });
  expect(items.map(({ reason }) => reason)).toContain('FailedMount');

  await kube.resource(clusterTrustBundles).create(aBundle('b', one));
  await step(2_000);
  expect(await statusOf()).toMatchObject({
    phase: 'Running',
    conditions: expect.arrayContaining(['PodReadyToStartContainers', 'Ready']),
    waits: [undefined],
    hasAddress: true,
  });
});
