import { describe, expect, test } from 'vitest';
import { sharedCluster } from '../support/shared-cluster.js';
import { eventually } from '../support/slipway.js';

const agent = (image: string) => `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template:
    metadata: { labels: { app: agent } }
    spec:
      containers: [{ name: agent, image: ${image} }]
`;
const budget = `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec:
  minAvailable: 2
  selector: { matchLabels: { app: web } }
`;

describe('daemons, and nodes that are emptied', () => {
  const { cluster, kubectl } = sharedCluster({ nodes: 3, args: ['--ephemeral'] });
  const ask = (args: readonly string[], stdin = '') => cluster().kubectl(args, { stdin });
  const create = async (manifest: string) => {
    const done = await ask(['create', '-f', '-'], manifest);
    expect(done.code, done.stderr).toBe(0);
  };
  const nodesOf = async (label: string) => {
    const path = 'jsonpath={range .items[*]}{.spec.nodeName}{"\\n"}{end}';
    const live = await kubectl('get', 'pods', '-l', label, '--field-selector=status.phase=Running', '-o', path);
    return live.trim().split('\n').sort();
  };

  test('a DaemonSet is rolled out, restarted, looked at and rolled back', async () => {
    await create(agent('registry.example/agent:1'));
    await kubectl('rollout', 'status', 'ds/agent', '--timeout=30s');
    expect(await nodesOf('app=agent')).toEqual(['n1', 'n2', 'n3']);
    await kubectl('set', 'image', 'ds/agent', 'agent=registry.example/agent:2');
    await kubectl('rollout', 'status', 'ds/agent', '--timeout=30s');
    await kubectl('rollout', 'restart', 'ds/agent');
    await kubectl('rollout', 'status', 'ds/agent', '--timeout=30s');
    expect(await kubectl('rollout', 'history', 'ds/agent')).toMatch(/^1 .*\n2 .*\n3 /m);
    await kubectl('rollout', 'undo', 'ds/agent', '--to-revision=1');
    await kubectl('rollout', 'status', 'ds/agent', '--timeout=30s');
    const images = await kubectl(
      'get',
      'pods',
      '-l',
      'app=agent',
      '-o',
      'jsonpath={.items[*].spec.containers[0].image}',
    );
    expect(images.split(' ')).toEqual(Array(3).fill('registry.example/agent:1'));

    const [header = '', line = ''] = (await kubectl('get', 'ds', '-o', 'wide')).split('\n');
    expect(header.split(/ {2,}/).join('|')).toBe(
      'NAME|DESIRED|CURRENT|READY|UP-TO-DATE|AVAILABLE|NODE SELECTOR|AGE|CONTAINERS|IMAGES|SELECTOR',
    );
    expect(line).toMatch(/^agent +3 +3 +3 +3 +3 +<none> .* agent +registry.example\/agent:1 +app=agent/);
    const described = await kubectl('describe', 'ds', 'agent');
    expect(described).toContain('Desired Number of Nodes Scheduled: 3');
    expect(described).toContain('SuccessfulCreate');
  });

  test('drain moves what it may, waits for the disruption budget and leaves daemons alone', async () => {
    await kubectl('create', 'deployment', 'web', '--image=registry.example/web:1', '--replicas=3');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
    await create(budget);
    await eventually('the budget is counted', async () =>
      (await kubectl('get', 'pdb', 'web')).match(/web +2 +N\/A +1 /),
    );

    await kubectl('drain', 'n1', '--ignore-daemonsets', '--timeout=30s');
    expect(await nodesOf('app=agent')).toEqual(['n1', 'n2', 'n3']);
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
    expect(new Set(await nodesOf('app=web'))).toEqual(new Set(['n2', 'n3']));
    expect(await kubectl('get', 'node', 'n1')).toContain('Ready,SchedulingDisabled');

    await kubectl('patch', 'pdb', 'web', '--type=merge', '-p', '{"spec":{"minAvailable":3}}');
    await eventually('the budget is full', async () => (await kubectl('get', 'pdb', 'web')).match(/web +3 +N\/A +0 /));
    const stuck = await ask(['drain', 'n2', '--ignore-daemonsets', '--timeout=2s']);
    expect(stuck.code).toBe(1);
    expect(stuck.stderr).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(await kubectl('describe', 'pdb', 'web')).toMatch(/Allowed disruptions: +0/);

    await kubectl('uncordon', 'n1', 'n2');
    expect(await kubectl('get', 'nodes')).not.toContain('SchedulingDisabled');
    await kubectl('create', 'pdb', 'more', '--selector=app=other', '--max-unavailable=50%');
    await kubectl('delete', 'deployment/web', 'pdb/web', 'pdb/more', 'ds/agent');
    await eventually('the pods are gone', async () => (await kubectl('get', 'pods', '-o', 'name')) === '');
  });
});
