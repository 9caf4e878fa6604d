import { describe, expect, test } from 'vitest';
import { sharedCluster } from '../support/shared-cluster.js';
import { eventually } from '../support/slipway.js';

describe('the first minutes with kubectl', () => {
  const { cluster, kubectl } = sharedCluster({ nodes: 3, args: ['--ephemeral'] });

  test('kubectl get nodes,pods -A shows the nodes Ready', async () => {
    await kubectl('wait', '--for=condition=Ready', 'nodes', '--all', '--timeout=20s');
    const listed = await kubectl('get', 'nodes,pods', '-A');
    expect(listed.match(/ Ready /g)).toHaveLength(3);
  });

  test('a deployment is created, rolled out, scaled, changed, rolled back and deleted', async () => {
    await kubectl('create', 'deployment', 'web', '--image=registry.example/web:1', '--replicas=2');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
    await kubectl('scale', 'deployment/web', '--replicas=4');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
    await kubectl('label', 'deployment/web', 'tier=front');
    await kubectl('annotate', 'deployment/web', 'note=hello');
    await kubectl('set', 'image', 'deployment/web', 'web=registry.example/web:2');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
    expect(await kubectl('get', 'deployment/web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}')).toBe(
      'registry.example/web:2',
    );
    await kubectl('rollout', 'undo', 'deployment/web');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
    expect(await kubectl('get', 'deployment/web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}')).toBe(
      'registry.example/web:1',
    );
    expect(await kubectl('describe', 'deployment/web')).toContain('ScalingReplicaSet');
    expect(await kubectl('get', 'deployment', 'web', '-o', 'wide')).toMatch(/4\/4\s+4\s+4/);
    await kubectl('delete', 'deployment/web');
    await eventually('its pods are gone', async () => (await kubectl('get', 'pods', '-o', 'name')) === '');
  });

  test('apply creates, changes and removes one field at a time', async () => {
    const manifest = (data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: ${data}\n`;
    const apply = async (data: string) => {
      const done = await cluster().kubectl(['apply', '-f', '-'], { stdin: manifest(data) });
      expect(done, done.stderr).toMatchObject({ code: 0 });
    };
    await apply('{ a: "1", b: "2" }');
    await kubectl('patch', 'configmap', 'settings', '--type=merge', '-p', '{"data":{"other":"kept"}}');
    await apply('{ a: "3" }');
    expect(JSON.parse(await kubectl('get', 'configmap', 'settings', '-o', 'jsonpath={.data}'))).toEqual({
      a: '3',
      other: 'kept',
    });
  });

  test('explain knows the fields of built-in and of our own kinds', async () => {
    expect(await kubectl('explain', 'sts.spec.updateStrategy')).toContain('rollingUpdate');
    expect(await kubectl('explain', 'features.spec', '--recursive')).toContain('desired');
  });

  test('a namespace goes away with everything in it', async () => {
    await kubectl('create', 'namespace', 'brief');
    await kubectl('-n', 'brief', 'create', 'deployment', 'web', '--image=registry.example/web:1');
    await kubectl('-n', 'brief', 'create', 'secret', 'generic', 'key', '--from-literal=a=b');
    await kubectl('delete', 'namespace', 'brief', '--timeout=30s');
    const gone = await cluster().kubectl(['get', 'namespace', 'brief']);
    expect(gone?.stderr).toContain('namespaces "brief" not found');
  });

  test('the features of the cluster are listed, and can be watched', async () => {
    await eventually('the features are there', async () =>
      (await kubectl('get', 'features', '-A')).includes('MaxUnavailableStatefulSet'),
    );
    const watched = await cluster().kubectl(['get', 'features', '-A', '-w', '--request-timeout=3s']);
    expect(watched?.stdout).toContain('MaxUnavailableStatefulSet');
    const listed = await cluster().slipway(['feature', 'list', '-o', 'json']);
    expect(JSON.parse(listed?.stdout ?? '').items.map((item: { spec: { gate: string } }) => item.spec.gate)).toContain(
      'MaxUnavailableStatefulSet',
    );
  });

  test('commands run in pods, and those that are not there say so', async () => {
    await cluster().kubectl(['run', 'sh', '--image=registry.example/sh:1', '--restart=Never']);
    await cluster().kubectl(['wait', '--for=condition=Ready', 'pod/sh', '--timeout=20s']);
    expect(await cluster().kubectl(['exec', 'sh', '--', 'hostname'])).toMatchObject({ code: 0, stdout: 'sh\n' });
    const missing = await cluster().kubectl(['exec', 'sh', '--', 'java', '-version']);
    expect(missing?.code).not.toBe(0);
    expect(missing?.stderr).toMatch(/exec: "java": executable file not found in \$PATH/);
  });
});
