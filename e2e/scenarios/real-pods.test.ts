import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hasPart, needs } from '../../tools/real-parts.js';
import { HalfWayFeatures } from '../support/half-way-features.js';
import { type RealKubernetes, realKubernetes } from '../support/real-kubernetes.js';
import { endWithNode, type RealNode, realNode } from '../support/real-node.js';
import { releaseImage, releaseImageName } from '../support/release-image.js';
import { eventually } from '../support/slipway.js';

// Slipway as a cluster runs it: the pods of the manifests, from the image of the release, on a kubelet of Kubernetes.

const parts = ['real Kubernetes', 'kubectl', 'a real kubelet'] as const;
const programs = process.env.SLIPWAY_REAL_KUBERNETES ?? '';

let real: RealKubernetes;
let node: RealNode;
beforeAll(async () => {
  if (!parts.every(hasPart)) return;
  real = await realKubernetes(programs);
  node = await realNode(real, programs);
  await node.importImage(await releaseImage());
  const installed = await real.slipway('install', '--image', releaseImageName);
  expect(installed, installed.stderr).toMatchObject({ code: 0 });
}, 240_000);
afterAll(() => endWithNode(real, node));

beforeEach((context) => {
  for (const part of parts) needs(context, part);
});

test('every pod of the manifests becomes ready, as an ordinary user on a read-only root', async () => {
  for (const workload of [
    'deployment/slipway-feature-server',
    'deployment/slipway-balloon-controller',
    'daemonset/slipway-node-agent',
  ]) {
    const rolled = await kubectl('-n', 'slipway-system', 'rollout', 'status', workload, '--timeout', '50s');
    expect(rolled).toContain('successfully rolled out');
  }
}, 240_000);

test('the pods do what they are for: gates are read, a feature is cleared, the node is resized', async () => {
  await eventually('the kubelet is reported by the agent', async () => {
    return (await real.kubectl(['get', 'featureuse', `kubelet.${node.name}`, '-n', 'kube-system'])).code === 0;
  });
  const features = new HalfWayFeatures(real, 'pods-');
  await features.defineSlow('cleared', 2);
  await features.turn(real, 'off', 'cleared');
  await features.reaches('cleared', 'Off');
  expect(await features.values('cleared')).toBe(0);
  const sized = await real.slipway('node', 'size', node.name, '--balloon-cpu', '300m', '--wait', '--timeout', '50s');
  expect(sized, sized.stderr).toMatchObject({ code: 0 });
  const { stdout } = await real.slipway('doctor', '-o', 'json');
  const problems = (JSON.parse(stdout) as { check: string; result: string }[]).filter(
    ({ result }) => result === 'problem',
  );
  // No process reports the gate of the test.
  expect(problems.map(({ check }) => check)).toEqual(['feature cleared']);
}, 240_000);

async function kubectl(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await real.kubectl(words);
  if (code === 0) return stdout;
  const pods = await real.kubectl(['-n', 'slipway-system', 'describe', 'pods']);
  throw new Error(`kubectl ${words.join(' ')}: ${stderr}${pods.stdout}`);
}
