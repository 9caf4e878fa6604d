import { join } from 'node:path';
import type { FeatureStatus } from '@slipway/features';
import { adminClient } from '@slipway/image-pulls';
import { fakeRuntime } from '@slipway/image-pulls/testing';
import type { KubeObject } from '@slipway/kube';
import { NodePullQueue, PullLimit } from '@slipway/node-agent/kinds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BareCluster, bareCluster } from '../support/bare-cluster.js';
import { type RunningLimiter, startLimiter } from '../support/limiter.js';
import type { SlipwayProcess } from '../support/running-command.js';
import { eventually } from '../support/slipway.js';

const gate = 'ParallelImagePullLimit';

describe('image pulls of a cluster: one node with a limiter of this process, one with the daemon that users start', () => {
  let bare: BareCluster;
  let limiter: RunningLimiter;
  let socket: string;
  let agent: SlipwayProcess;
  beforeAll(async () => {
    bare = await bareCluster({ nodes: 2 });
    const { code, stderr } = await bare.slipway('install', '--no-processes');
    if (code !== 0) throw new Error(stderr);
    await bare.run('server', 'feature-server', '--identity', 'one', '--allow-dynamic', gate);
    limiter = await startLimiter(4);
    const runtime = join(bare.folder, 'runtime.sock');
    await fakeRuntime(runtime);
    socket = join(bare.folder, 'pulls.sock');
    await bare.start('pulls', 'serve', '--runtime', `unix://${runtime}`, '--listen', socket, '--limit', '5');
    await agentOn('n1', limiter.admin);
    agent = await agentOn('n2', `${socket}.admin`);
  });
  afterAll(async () => {
    await bare[Symbol.asyncDispose]();
    await limiter[Symbol.asyncDispose]();
  });

  const agentOn = (node: string, admin: string) =>
    bare.run(`agent-${node}`, 'node-agent', '--node', node, '--pulls-socket', admin);
  const limits = async () => {
    const both = await Promise.all([limiter.admin, `${socket}.admin`].map((one) => adminClient(one).state()));
    return both.map(({ limit, limitSource }) => `${limit} ${limitSource}`).join(', ');
  };
  const become = (wanted: string) =>
    eventually(`the limits are ${wanted}`, async () => (await limits()) === wanted, 60_000);
  const apply = (name: string, spec: KubeObject['spec']) =>
    bare.cluster
      .kube()
      .resource(PullLimit)
      .apply(
        { apiVersion: 'pulls.slipway.dev/v1alpha1', kind: 'PullLimit', metadata: { name }, spec },
        { fieldManager: 'test' },
      );
  const status = async () => {
    const { stdout } = await bare.slipway('feature', 'get', gate, '-o', 'json');
    return (JSON.parse(stdout || '{}') as { readonly status?: FeatureStatus }).status;
  };
  const state = (wanted: string) =>
    eventually(`the feature is ${wanted}`, async () => (await status())?.state === wanted, 60_000);

  test('PullLimits limit the nodes that they select, and a limit set by hand on a node goes before them', async () => {
    await apply('all', { maxParallelImagePulling: 2 });
    await apply('second', {
      maxParallelImagePulling: 1,
      priority: 1,
      nodeSelector: { matchLabels: { 'kubernetes.io/hostname': 'n2' } },
    });
    await become('2 cluster, 1 cluster');
    const { stdout } = await bare.slipway('pulls', 'limit', '3', '--for', '1s', '--listen', socket, '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({ limit: 3, source: 'manual' });
    await become('2 cluster, 1 cluster');
  });

  test.each([
    [{}, /maxParallelImagePulling/],
    [{ maxParallelImagePulling: -1 }, /greater than or equal to 0/],
    [
      {
        maxParallelImagePulling: 1,
        nodeSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      },
      /Exists and DoesNotExist have none/,
    ],
  ])('a PullLimit with spec %j is rejected', async (spec, message) => {
    await expect(apply('wrong', spec)).rejects.toThrow(message);
  });

  test('slipway pulls list -A shows the pulls of every node, as its agent reports them', async () => {
    limiter.pull(['r.example/a:1', 'r.example/b:1', 'r.example/c:1']);
    const shown = await eventually('they are reported', async () => {
      const { stdout, stderr } = await bare.slipway('pulls', 'list', '-A', '-o', 'wide');
      return stderr.includes('2 running, 1 waiting on 2 nodes') && stdout;
    });
    expect(shown).toMatch(/^n1 +r\.example\/a:1 +running +1 .* shop\/web$/m);
    expect(shown).toMatch(/^n1 +r\.example\/c:1 +waiting, position 1 +1 .* shop\/web$/m);
    const { stdout } = await bare.slipway('pulls', 'list', '-A', '--node', 'n2', '-o', 'json');
    const [queue, ...others] = JSON.parse(stdout);
    expect(others).toEqual([]);
    expect(queue).toMatchObject({ node: 'n2', isCurrent: true, limit: 1, limitSource: 'cluster', running: [] });
    expect(queue.pullLimit).toEqual({ name: 'second', generation: 1 });
    for (const pull of limiter.runtime.pulls) pull.succeed();
    expect(await bare.slipway('pulls', 'list', '--node', 'n2')).toMatchObject({ code: 2 });
  });

  test('an agent writes the queue of its own node only, and may read no other', async () => {
    const { kubeconfigOf, slipway } = bare;
    const denied = await slipway('pulls', 'list', '-A', '--kubeconfig', kubeconfigOf('agent-n2'));
    expect(denied).toMatchObject({ code: 4, stderr: expect.stringContaining('cannot list resource "nodepullqueues"') });
    const user = {
      name: 'system:serviceaccount:slipway-system:slipway-node-agent',
      groups: ['system:serviceaccounts', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/node-name': ['n2'] },
    };
    const queues = bare.cluster.kube(user).resource(NodePullQueue);
    await expect(queues.merge({ name: 'n1' }, { spec: { limit: 9 } })).rejects.toThrow(/own node, which is n2/);
    await queues.merge({ name: 'n2' }, { spec: { limit: 1 } });
  });

  test('users who may view the whole cluster may read the queues, and those who may view a namespace may not', async () => {
    const bind = async (kind: 'ClusterRoleBinding' | 'RoleBinding', name: string) => {
      const plural = `${kind.toLowerCase()}s`;
      const group = 'rbac.authorization.k8s.io';
      const namespaced = kind === 'RoleBinding';
      const metadata = { name, ...(namespaced && { namespace: 'default' }) };
      await bare.cluster
        .kube()
        .resource({ group, version: 'v1', kind, plural, namespaced })
        .create({
          apiVersion: `${group}/v1`,
          kind,
          metadata,
          roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'view' },
          subjects: [{ apiGroup: group, kind: 'User', name }],
        });
      return bare.cluster.kube({ name, groups: ['system:authenticated'] }).resource(NodePullQueue);
    };
    const [all, one] = [await bind('ClusterRoleBinding', 'jane'), await bind('RoleBinding', 'joe')];
    expect((await all.list()).items).toHaveLength(2);
    await expect(one.list()).rejects.toThrow(/cannot list resource "nodepullqueues"/);
  });

  test('turning the gate off gives the limits of the cluster back, and on again they apply again', async () => {
    await state('On');
    expect(await bare.slipway('feature', 'off', gate, '--yes', '--wait')).toMatchObject({ code: 0 });
    expect(await limits()).toBe('4 configuration, 5 configuration');
    expect(await bare.slipway('feature', 'on', gate, '--yes', '--wait')).toMatchObject({ code: 0 });
    await become('2 cluster, 1 cluster');
  });

  test('it is not Off before every node has given its limit back: one whose agent ended is waited for', async () => {
    expect(await agent.end()).toBe(0);
    await bare.slipway('feature', 'off', gate, '--yes');
    await become('4 configuration, 1 cluster');
    const uses = await eventually('the node is missed', async () => {
      const { state: now, uses: counted } = (await status()) ?? {};
      return now === 'TurningOff' && counted?.off === 1 && counted;
    });
    expect(uses.components[0]?.samples).toMatchObject([{ process: 'slipway-pulls.n2' }]);
    await agentOn('n2', `${socket}.admin`);
    await state('Off');
    expect(await limits()).toBe('4 configuration, 5 configuration');
  });
});
