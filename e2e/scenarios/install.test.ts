import { hostname } from 'node:os';
import { Feature } from '@slipway/features';
import { CustomResourceDefinition } from '@slipway/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { type BareCluster, bareCluster } from '../support/bare-cluster.js';
import { eventually } from '../support/slipway.js';

const image = 'registry.example.com/slipway:0.1.0';
const gate = 'MaxUnavailableStatefulSet';

describe('slipway install', () => {
  let bare: BareCluster;
  beforeAll(async () => {
    bare = await bareCluster({ nodes: 1 });
  });
  afterAll(() => bare[Symbol.asyncDispose]());

  test('asks for the image, prints its plan, and does nothing while it is only asked for that', async () => {
    const without = await bare.slipway('install');
    expect(without).toMatchObject({ code: 2, stderr: expect.stringMatching(/no image is given.*\nTo fix: .*--image/) });
    const plan = await bare.slipway('install', '--image', image, '--dry-run');
    expect(plan).toMatchObject({ code: 0, stderr: 'Nothing was done.\n' });
    expect(plan.stdout).toMatch(/^create +Namespace slipway-system$/m);
    expect(plan.stdout).toMatch(/^create +CustomResourceDefinition features\.features\.slipway\.dev$/m);
    expect(plan.stdout).toMatch(/^create +DaemonSet slipway-system\/slipway-node-agent$/m);
    expect((await bare.cluster.kube().resource(CustomResourceDefinition).list()).items).toEqual([]);
  });

  test('installs kinds, rights and processes, and once only', async (context) => {
    needs(context, 'kubectl');
    expect(await bare.slipway('install', '--image', image)).toMatchObject({ code: 0 });
    expect(await bare.slipway('install', '--image', image)).toEqual({
      code: 0,
      stdout: 'Everything is already installed.\n',
      stderr: '',
    });
    const processes = await bare.kubectl(['get', 'deployments,daemonsets', '-n', 'slipway-system', '-o', 'name']);
    expect(processes.stdout.trim().split('\n').sort()).toEqual([
      'daemonset.apps/slipway-node-agent',
      'deployment.apps/slipway-balloon-controller',
      'deployment.apps/slipway-feature-server',
    ]);
    expect(await labelledObjects(bare)).toContain('namespace/slipway-system');
    const newer = await bare.slipway('install', '--image', `${image}-2`, '--only', 'node-agent', '-o', 'json');
    const changed = (JSON.parse(newer.stdout) as { objects: { action: string; object: { kind: string } }[] }).objects
      .filter(({ action }) => action !== 'keep')
      .map(({ action, object }) => `${action} ${object.kind}`);
    expect(changed).toEqual(['change DaemonSet']);
  });

  test('is refused by a cluster that stores objects in a version it does not have, before it writes anything', async (context) => {
    needs(context, 'kubectl');
    const definition = ['crd', 'nodesizes.balloons.slipway.dev'];
    const patch = async (...words: string[]) =>
      expect(await bare.kubectl(['patch', ...definition, ...words])).toMatchObject({ code: 0 });
    const stores = (index: number) =>
      [0, 1].map((at) => ({ op: 'replace', path: `/spec/versions/${at}/storage`, value: at === index }));
    const copied = { op: 'copy', from: '/spec/versions/0', path: '/spec/versions/1' };
    const named = { op: 'replace', path: '/spec/versions/1/name', value: 'v9' };
    await patch('--type=json', '-p', JSON.stringify([copied, named, ...stores(1)]));
    expect(await bare.slipway('install', '--image', `${image}-3`)).toEqual({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(
        /^slipway: .* nodesizes\.balloons\.slipway\.dev in v9, .*\nTo fix: .*upgrade\.md\n$/,
      ),
    });
    await patch('--type=json', '-p', JSON.stringify(stores(0)));
    await patch('--subresource=status', '--type=merge', '-p', '{"status":{"storedVersions":["v1alpha1"]}}');
    expect(await bare.slipway('install', '--image', image)).toMatchObject({ code: 0 });
    const { stdout } = await bare.kubectl(['get', ...definition, '-o', 'jsonpath={.spec.versions[*].name}']);
    expect(stdout).toBe('v1alpha1');
  });

  test('slipway uninstall takes away what runs and its rights, and says what stays', async (context) => {
    needs(context, 'kubectl');
    const plan = await bare.slipway('uninstall', '--dry-run');
    expect(plan.stdout).toContain('delete Deployment slipway-system/slipway-feature-server\n');
    const told = JSON.parse((await bare.slipway('uninstall', '--dry-run', '-o', 'json')).stdout);
    expect(told).toMatchObject({
      dryRun: true,
      deleted: expect.arrayContaining([expect.stringContaining('ClusterRole')]),
    });
    const rights = await bare.slipway('feature', 'rbac', 'ImageVolume', '--built-in', '-o', 'json');
    expect(JSON.parse(rights.stdout).items).toContainEqual(expect.objectContaining({ kind: 'ClusterRole' }));
    const done = await bare.slipway('uninstall');
    expect(done).toMatchObject({ code: 0, stdout: plan.stdout });
    expect(done.stdout).toMatch(
      /^These stay:\n(?: {2}.*\n)* {2}CustomResourceDefinition features\.features\.slipway\.dev: deleting it/m,
    );
    await eventually('only definitions are left', () => onlyDefinitionsAreLeft(bare));
    const left = await bare.kubectl(['get', 'clusterroles,deployments,daemonsets', '-A', '-o', 'name']);
    expect(left.stdout).not.toMatch(/\/slipway/);
    expect((await bare.kubectl(['get', 'features', '-A'])).code).toBe(0);
    expect((await bare.slipway('uninstall')).stdout).toContain('Nothing of it is installed.\n');
  });
});

test('slipway install and uninstall know what kubectl applied from deploy/', async (context) => {
  needs(context, 'kubectl');
  await using bare = await bareCluster({ nodes: 1 });
  expect(await bare.kubectl(['apply', '-R', '-f', 'deploy'])).toMatchObject({ code: 0, stderr: '' });
  expect(await bare.kubectl(['apply', '-k', 'deploy'])).toMatchObject({ code: 0 });
  // Only some API servers can fill in authors, so that no manifest has the policy for it.
  const added = (await bare.slipway('install', '--image', image)).stdout.match(/^(create|change) .*$/gm);
  expect(added).toEqual([
    expect.stringMatching(/^create +MutatingAdmissionPolicy slipway-author-stamp$/),
    expect.stringMatching(/^create +MutatingAdmissionPolicyBinding slipway-author-stamp$/),
  ]);
  expect((await bare.slipway('install', '--image', image)).stdout).toBe('Everything is already installed.\n');
  const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', namespace: 'slipway-system' } };
  await bare.kubectl(['apply', '-f', '-'], JSON.stringify(other));
  const first = await bare.slipway('uninstall');
  expect(first).toMatchObject({ code: 0 });
  expect(first.stdout).toContain('  Namespace slipway-system: ConfigMap slipway-system/mine is in it\n');
  await bare.kubectl(['delete', 'configmap', 'mine', '-n', 'slipway-system']);
  expect((await bare.slipway('uninstall')).stdout).toContain('delete Namespace slipway-system\n');
  await eventually('only definitions are left', () => onlyDefinitionsAreLeft(bare));
});

describe('slipway run, with the rights that slipway install gives', () => {
  test('a feature server that lacks a right for a task says so with the rule to apply, and goes on with it', async (context) => {
    needs(context, 'kubectl');
    await using bare = await bareCluster({
      nodes: 1,
      servers: [{ featureGates: { [gate]: true } }],
      componentGates: { 'kube-controller-manager': { [gate]: true } },
    });
    expect(await bare.slipway('install', '--no-processes', '--only', 'features,node-agent')).toMatchObject({ code: 0 });
    // The controller manager runs on this machine: as a node of the cluster, it has an agent.
    await bare.kubectl(['apply', '-f', '-'], JSON.stringify(aNode(hostname())));
    const { cluster } = bare;
    const url = cluster.componentPages.find(({ component }) => component === 'kube-controller-manager')?.url ?? '';
    const port = `kube-controller-manager:${new URL(url).port}`;
    const server = await bare.run('server', 'feature-server', '--listen', '127.0.0.1:0');
    await bare.run('agent-host', 'node-agent', '--node', hostname(), '--port', port);

    const feature = () => cluster.kube().resource(Feature).get({ name: gate.toLowerCase(), namespace: 'kube-system' });
    await eventually('it is on', async () => (await feature()).status?.state === 'On', 60_000);
    const health = /health at (\S+)/.exec(server.log())?.[1] ?? '';
    expect((await fetch(`${health}/readyz`)).status).toBe(200);
    const metrics = await (await fetch(`${health}/metrics`)).text();
    expect(metrics).toContain(`slipway_feature_state{namespace="kube-system",feature="${gate}",state="On"} 1\n`);

    await bare.kubectl(['apply', '-f', '-'], JSON.stringify(aStatefulSet()));
    const patch = { spec: { cleanup: 'Automatic', guard: { mode: 'None' } } };
    await bare.kubectl([
      'patch',
      'feature',
      gate.toLowerCase(),
      '-n',
      'kube-system',
      '--type',
      'merge',
      '-p',
      JSON.stringify(patch),
    ]);
    await cluster.servers[0]?.restart({ featureGates: { [gate]: false } });
    const manager = cluster.components.find(({ name }) => name === 'kube-controller-manager');
    await manager?.restart({ pin: `${gate}=false` });
    const blocked = await eventually(
      'it is blocked by a right that is missing',
      async () => {
        const condition = (await feature()).status?.conditions?.find(({ type }) => type === 'Blocked');
        return condition?.message.includes('forbidden') && condition.message;
      },
      90_000,
    );
    expect(blocked).toContain('cannot list resource "statefulsets" in API group "apps"');
    expect(blocked).toContain(`slipway feature rbac ${gate} -n kube-system | kubectl apply -f -`);

    const rights = await bare.slipway('feature', 'rbac', gate, '-n', 'kube-system');
    expect(await bare.kubectl(['apply', '-f', '-'], rights.stdout)).toMatchObject({ code: 0 });
    await eventually('it is off', async () => (await feature()).status?.state === 'Off', 120_000);
    const path = 'jsonpath={.spec.updateStrategy.rollingUpdate.maxUnavailable}';
    expect((await bare.kubectl(['get', 'statefulset', 'web', '-o', path])).stdout).toBe('');
    expect(await server.end()).toBe(0);
  }, 300_000);

  test('slipway uninstall gives nodes back in full before the balloon controller goes', async (context) => {
    needs(context, 'kubectl');
    await using bare = await bareCluster({ nodes: 2 });
    expect(await bare.slipway('install', '--no-processes', '--only', 'balloons')).toMatchObject({ code: 0 });
    const controller = await bare.run('balloons', 'balloon-controller');
    const policy = {
      apiVersion: 'balloons.slipway.dev/v1alpha1',
      kind: 'BalloonPolicy',
      metadata: { name: 'all' },
      spec: {},
    };
    expect(await bare.kubectl(['apply', '-f', '-'], JSON.stringify(policy))).toMatchObject({ code: 0 });
    const ready = ['wait', '--for=condition=Ready', 'balloonpolicy/all', '--timeout=60s'];
    expect(await bare.kubectl(ready)).toMatchObject({ code: 0 });
    expect(controller.log()).not.toMatch(/forbidden/i);
    const pods = ['get', 'pods', '-n', 'kube-system', '-l', 'balloons.slipway.dev/balloon=true', '-o', 'name'];
    expect((await bare.kubectl(pods)).stdout).not.toBe('');

    expect(await bare.slipway('uninstall', '--only', 'balloons')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('delete BalloonPolicy all: its nodes are given back in full\n'),
    });
    await eventually('no balloon is left', async () => (await bare.kubectl(pods)).stdout === '');
    expect(await controller.end()).toBe(0);
  });
});

const labelledKinds =
  'namespaces,deployments,daemonsets,poddisruptionbudgets,clusterroles,clusterrolebindings,roles,rolebindings,serviceaccounts,priorityclasses,configmaps,leases,validatingadmissionpolicies,validatingadmissionpolicybindings,customresourcedefinitions';

async function labelledObjects(bare: BareCluster): Promise<readonly string[]> {
  const { stdout } = await bare.kubectl([
    'get',
    labelledKinds,
    '-A',
    '-l',
    'app.kubernetes.io/part-of=slipway',
    '-o',
    'name',
  ]);
  return stdout.split('\n').filter((name) => name !== '');
}

async function onlyDefinitionsAreLeft(bare: BareCluster): Promise<boolean> {
  const left = await labelledObjects(bare);
  return left.length > 0 && left.every((name) => name.startsWith('customresourcedefinition.'));
}

function aNode(name: string) {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name } };
}

function aStatefulSet() {
  const labels = { app: 'web' };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 1,
      serviceName: 'web',
      selector: { matchLabels: labels },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }] } },
    },
  };
}
