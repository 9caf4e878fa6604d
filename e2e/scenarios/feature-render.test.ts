import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Feature } from '@slipway/features';
import { Kube } from '@slipway/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { eventually, freeGates, type RunningCluster, slipway, up } from '../support/slipway.js';

let cluster: RunningCluster;
beforeAll(async () => {
  cluster = await up({ kubernetes: freeGates, nodes: 1 });
}, 60_000);
afterAll(async () => await cluster?.[Symbol.asyncDispose]());

test('what a Feature asks of flags is rendered, put into effect component by component, and waited for', async () => {
  const kube = await Kube.connect({ kubeconfig: cluster.kubeconfig });
  const ref = { namespace: 'kube-system', name: 'maxunavailablestatefulset' };
  const status = async () => (await kube.resource(Feature).find(ref))?.status ?? {};
  const waitsFor = async () => (await status()).transition?.tasks[0]?.message ?? '';

  const undecided = await cluster.slipway(['feature', 'render', '--for', 'flags', '--version', 'v1.34']);
  expect(undecided).toMatchObject({ code: 2, stdout: '' });
  expect(undecided.stderr).toContain('no Feature of the cluster asks for a value that flags set');

  await eventually('it is announced', async () => (await status()).state === 'Off');
  await kube.resource(Feature).merge(ref, { spec: { desired: 'On', mode: 'Follow' } });
  await eventually('both are waited for', async () => /kube-apiserver.*kube-controller-manager/.test(await waitsFor()));

  const rendered = await cluster.slipway(['feature', 'render', '--for', 'flags', '--version', 'v1.34']);
  expect(rendered, rendered.stderr).toMatchObject({ code: 0 });
  const flags = [...rendered.stdout.matchAll(/^(kube\S+) --feature-gates=(\S+)$/gm)].map(([, name, gates]) => [
    name,
    gates,
  ]);
  expect(flags).toEqual([
    ['kube-apiserver', 'MaxUnavailableStatefulSet=true'],
    ['kube-controller-manager', 'MaxUnavailableStatefulSet=true'],
  ]);
  const data = join(cluster.dataDir, 'data');
  const restart = ([name = '', gates = '']: (string | undefined)[]) =>
    cluster.slipway(['dev', 'component', 'restart', name, '--gates', gates, '--data-dir', data]);
  expect(await restart(flags[0] ?? [])).toMatchObject({ code: 0 });
  await eventually('one is left', async () => /^kube-controller-manager/.test(await waitsFor()));
  expect((await status()).state).toBe('TurningOn');
  expect(await restart(flags[1] ?? [])).toMatchObject({ code: 0 });
  await eventually('it is on', async () => (await status()).state === 'On');
}, 90_000);

test('a rendered kubelet configuration is one that kubelets start with', async () => {
  const rendered = await slipway(['feature', 'render', 'ImageVolume=true', '--for', 'kubelet', '--version', 'v1.34']);
  expect(rendered).toMatchObject({ code: 0, stderr: '' });
  expect(parse(rendered.stdout)).toEqual({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    featureGates: { ImageVolume: true },
  });
  const path = join(cluster.dataDir, 'kubelet.yaml');
  writeFileSync(path, rendered.stdout);
  await using other = await up({ kubernetes: freeGates, nodes: 1, args: ['--ephemeral', '--kubelet-config', path] });
  expect(other.url).toMatch(/^https:/);
}, 60_000);

test('a gate that the version does not take is left out with the reason, and the answer is no if that matters', async () => {
  const kubeadm = ['feature', 'render', '--for', 'kubeadm', '--version', 'v1.36'];
  const met = await slipway([...kubeadm, 'ImageVolume=true', 'MaxUnavailableStatefulSet=true']);
  expect(met, met.stderr).toMatchObject({ code: 0, stderr: '' });
  expect(met.stdout).toContain('# ImageVolume=true was left out: 1.36 has it locked to true.\n');
  const documents = parseAllDocuments(met.stdout).map((document) => document.toJS());
  expect(documents).toEqual([
    {
      apiVersion: 'kubeadm.k8s.io/v1beta4',
      kind: 'ClusterConfiguration',
      apiServer: { extraArgs: [{ name: 'feature-gates', value: 'MaxUnavailableStatefulSet=true' }] },
      controllerManager: { extraArgs: [{ name: 'feature-gates', value: 'MaxUnavailableStatefulSet=true' }] },
    },
  ]);
  const unmet = await slipway([...kubeadm, 'ImageVolume=false']);
  expect(unmet).toMatchObject({ code: 1 });
  expect(unmet.stderr).toBe(
    'slipway: ImageVolume=false is not to be had in 1.36: 1.36 has it locked to true\nTo fix: slipway feature explain ImageVolume\n',
  );
  const json = await slipway([...kubeadm, 'ImageVolume=false', '-o', 'json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ version: '1.36', leftOut: [{ gate: 'ImageVolume', isMet: false }] });
  expect(await slipway([...kubeadm, 'ImageVolume'])).toMatchObject({
    ...{ code: 2, stdout: '' },
    stderr: 'slipway: "ImageVolume" is not GATE=true or GATE=false\nTo fix: see the same command with --help\n',
  });
});
