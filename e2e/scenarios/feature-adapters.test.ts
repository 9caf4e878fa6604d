import { join } from 'node:path';
import { FeatureUse, FeatureVector } from '@slipway/features';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BareCluster, bareCluster } from '../support/bare-cluster.js';
import { type SlipwayProcess, startCommand } from '../support/running-command.js';
import { eventually, freeGates, up } from '../support/slipway.js';

const gate = 'ImageVolume';

describe('components that know nothing of us', () => {
  let bare: BareCluster;
  let server: SlipwayProcess;
  beforeAll(async () => {
    bare = await bareCluster({ nodes: 2, servers: [{}, {}] });
    const { code, stderr } = await bare.slipway('install', '--no-processes');
    if (code !== 0) throw new Error(stderr);
    server = await bare.run('server', 'feature-server', '--identity', 'one');
    const pulls = join(bare.folder, 'pulls.sock');
    await bare.start(
      'pulls',
      'serve',
      '--runtime',
      `unix://${bare.folder}/none.sock`,
      '--listen',
      pulls,
      '--limit',
      '4',
    );
    await Promise.all([agentOn('n1'), agentOn('n2', '--pulls-socket', `${pulls}.admin`)]);
  });
  afterAll(() => bare[Symbol.asyncDispose]());

  const pageOf = (component: string) => bare.cluster.componentPages.find((page) => page.component === component);
  const portOf = (component: string) => `${component}:${new URL(pageOf(component)?.url ?? '').port}`;
  const agentOn = (node: string, ...more: string[]) => {
    const ports = ['kube-scheduler', 'kube-controller-manager'].flatMap((name) => ['--port', portOf(name)]);
    return bare.run(`agent-${node}`, 'node-agent', '--node', node, ...ports, ...more);
  };
  const uses = async () => {
    const { items } = await bare.cluster.kube().resource(FeatureUse).list({ namespace: 'kube-system' });
    return items;
  };
  const useOf = async (name: string) => (await uses()).find(({ metadata }) => metadata.name === name);
  const gateOf = async (name: string) => {
    const use = await useOf(name);
    const ref = { namespace: 'kube-system', name: use?.spec.vector ?? '' };
    const vector = use && (await bare.cluster.kube().resource(FeatureVector).find(ref));
    return vector?.spec.gates.find((one) => one.name === gate);
  };

  test('each process is reported from its own page: kubelets, scheduler, controller manager and every API server', async () => {
    const names = await eventually('every component is reported', async () => {
      const found = (await uses()).map(({ spec }) => `${spec.component} ${spec.source}`).sort();
      return found.length >= 9 && found;
    });
    expect(names).toEqual([
      'kube-apiserver Metrics',
      'kube-apiserver Metrics',
      // Both nodes of this cluster are one machine, so that both agents see them.
      'kube-controller-manager Metrics',
      'kube-controller-manager Metrics',
      'kube-scheduler Metrics',
      'kube-scheduler Metrics',
      'kubelet Metrics',
      'kubelet Metrics',
      'slipway-pulls Metrics',
    ]);
    const kubelet = await useOf('kubelet.n1');
    expect(kubelet).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Node', name: 'n1' }] },
      spec: { instance: 'n1', node: 'n1', binaryVersion: 'v1.34.0', emulationVersion: '1.34' },
    });
    expect(await gateOf('kubelet.n1')).toEqual({ name: gate, enabled: false, stage: 'Beta' });
  });

  test('the limit of image pulls of a node is reported as a feature like any other', async () => {
    const shown = await eventually('its feature is on', async () => {
      const { stdout } = await bare.slipway('feature', 'get', 'ParallelImagePullLimit', '-o', 'json');
      const { status } = JSON.parse(stdout) as { status?: { state?: string; uses?: { on: number } } };
      return status?.state === 'On' && status;
    });
    expect(shown.uses).toMatchObject({ on: 1 });
    expect((await useOf('slipway-pulls.n2'))?.spec).toMatchObject({ component: 'slipway-pulls', binaryVersion: '0.1' });
  });

  test('slipway feature get shows what they run, with the feature server in its own process', async () => {
    await eventually('all that should report have', async () => {
      const { stdout } = await bare.slipway('feature', 'list', '-o', 'json');
      const feature = (JSON.parse(stdout) as { items: { spec: { gate: string }; status?: { state?: string } }[] }).items //
        .find(({ spec }) => spec.gate === gate);
      return feature?.status?.state === 'Off';
    });
  });

  test('a restart with another value is seen soon, and that it was set explicitly', async () => {
    const before = (await useOf('kubelet.n2'))?.spec.incarnation;
    const kubelet = bare.cluster.components.find(({ name, instance }) => name === 'kubelet' && instance === 'n2');
    await kubelet?.restart({ pin: `${gate}=true` });
    await eventually(
      'the new process is reported',
      async () => (await useOf('kubelet.n2'))?.spec.incarnation !== before,
    );
    expect(await gateOf('kubelet.n2')).toEqual({ name: gate, enabled: true, stage: 'Beta', set: true });
    expect(await gateOf('kubelet.n1')).toMatchObject({ enabled: false });
  });

  test('an agent speaks for its own node only', async () => {
    const other = await useOf('kubelet.n1');
    const { cluster } = bare;
    const agent = cluster.kube({
      name: 'system:serviceaccount:slipway-system:slipway-node-agent',
      groups: ['system:serviceaccounts', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/node-name': ['n2'] },
    });
    const ref = { namespace: 'kube-system', name: other?.metadata.name ?? '' };
    const refused = agent.resource(FeatureUse).merge(ref, { spec: { epoch: 9 } });
    await expect(refused).rejects.toThrow(/reports for its own node, which is n2/);
    await expect(agent.resource(FeatureUse).delete(ref)).rejects.toThrow(/own node/);
  });

  test('what the processes may not do stands in no log', async () => {
    expect(server.log()).not.toMatch(/forbidden/i);
  });
});

test('slipway up --component-pages: an agent reports a kubelet that does not report itself', async () => {
  await using cluster = await up({ kubernetes: freeGates, nodes: 1, args: ['--component-pages', '--ephemeral'] });
  const uses = async () => {
    const { stdout } = await cluster.slipway(['feature', 'uses', gate, '-o', 'json']);
    return stdout;
  };
  expect(await uses()).not.toContain('kubelet');
  await using agent = await startCommand('run', 'node-agent', '--node', 'n1', '--kubeconfig', cluster.kubeconfig);
  await eventually('the kubelet is reported', async () => (await uses()).includes('kubelet.n1'));
  expect(await agent.end()).toBe(0);
  // The kubelet goes on, and the next agent takes its report over.
  expect(await uses()).toContain('kubelet.n1');
});
