import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { aStartedCluster } from '@slipway/devcluster/testing/started-cluster';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { hasPart } from '../../../../../tools/real-parts.js';
import { readKubeletSettings } from '../settings/read-kubelet-settings.js';

let home: string;
let kubeletConfig: string;
const manifests = () => join(home, 'manifests');
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'slipway-static-'));
  kubeletConfig = join(home, 'kubelet.yaml');
  mkdirSync(manifests());
  writeFileSync(kubeletConfig, `kind: KubeletConfiguration\nstaticPodPath: ${manifests()}\n`);
  writeFileSync(
    join(manifests(), 'agent.yaml'),
    'apiVersion: v1\nkind: Pod\nmetadata: {name: agent, namespace: kube-system, labels: {app: agent}}\nspec: {containers: [{name: main, image: agent:1}]}\n',
  );
  writeFileSync(join(manifests(), '.agent.yaml.swp'), 'no pod');
});
afterAll(() => rmSync(home, { recursive: true }));

test('static pods are shown as mirror pods of their node, and come back when they are deleted', async () => {
  const cluster = await aStartedCluster({ nodes: 2, kubeletConfig });
  await cluster.ready();
  const client = cluster.kube().resource(pods);
  const ref = { namespace: 'kube-system', name: 'agent-n2' };
  const running = (not = '') =>
    vi.waitFor(async () => {
      const pod = await client.get(ref);
      expect([pod.status?.phase, pod.metadata.uid === not]).toEqual(['Running', false]);
      return pod;
    }, 10_000);
  const first = await running();
  expect(first.spec.serviceAccountName).toBeUndefined();
  expect(first.metadata).toMatchObject({
    labels: { app: 'agent' },
    ownerReferences: [{ kind: 'Node', name: 'n2', controller: true }],
    annotations: {
      'kubernetes.io/config.source': 'file',
      'kubernetes.io/config.mirror': first.metadata.annotations?.['kubernetes.io/config.hash'],
    },
  });
  await client.delete(ref);
  await running(first.metadata.uid);
  if (hasPart('kubectl')) {
    const path = join(home, 'config');
    writeFileSync(path, cluster.kubeconfig);
    const env = { ...process.env, HOME: home, KUBECONFIG: path };
    const { stdout } = await promisify(execFile)('kubectl', ['drain', 'n2'], { env, timeout: 15_000 });
    expect(stdout).toBe('node/n2 cordoned\nnode/n2 drained\n');
  }
  expect((await client.get(ref)).metadata.deletionTimestamp).toBeUndefined();
}, 40_000);

test('a file that is not a pod, and a missing folder, are reported', () => {
  writeFileSync(join(manifests(), 'z.yaml'), 'kind: Service\n');
  expect(() => readKubeletSettings(kubeletConfig)).toThrow(/manifests\/z\.yaml is not a Pod of v1$/);
  writeFileSync(kubeletConfig, 'staticPodPath: /nowhere\n');
  expect(() => readKubeletSettings(kubeletConfig)).toThrow(/no such file or directory, scandir '\/nowhere'$/);
  writeFileSync(kubeletConfig, 'staticPodPath: 7\n');
  expect(() => readKubeletSettings(kubeletConfig)).toThrow('staticPodPath is not a path');
});
