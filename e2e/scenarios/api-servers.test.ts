import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { eventually, type RunningCluster, slipway, up } from '../support/slipway.js';

const gate = 'MaxUnavailableStatefulSet';

async function servers(cluster: RunningCluster): Promise<unknown> {
  const listed = await cluster.slipway(['dev', 'server', 'list', '-o', 'json']);
  expect(listed, listed.stderr).toMatchObject({ code: 0 });
  return JSON.parse(listed.stdout);
}

const manifest = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 0
  selector: {matchLabels: {app: db}}
  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 2}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: main, image: registry.example/app:1}]}
`;

test('a rolling upgrade of two API servers, seen by kubectl', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({
    kubernetes: '1.36',
    nodes: 1,
    args: ['--ephemeral', '--servers', '2', '--server-version', '2:1.37'],
  });
  const version = async (name: string) => {
    const asked = await cluster.kubectl(['--context', name, 'version', '-o', 'json']);
    return asked.code === 0 ? JSON.parse(asked.stdout).serverVersion.minor : 'away';
  };
  const all = async () => Promise.all(['', '-server-1', '-server-2'].map((end) => version(`slipway-dev${end}`)));
  expect(await all()).toEqual(['36', '36', '37']);

  const leases = ['get', 'leases', '-n', 'kube-system', '-l', 'apiserver.kubernetes.io/identity=kube-apiserver'];
  expect((await cluster.kubectl([...leases, '-o', 'name'])).stdout.trim().split('\n')).toHaveLength(2);

  const stopped = await cluster.slipway(['dev', 'server', 'stop', '1', '-o', 'json']);
  expect(JSON.parse(stopped.stdout)).toMatchObject({ number: 1, state: 'Stopped' });
  expect(await all()).toEqual(['37', 'away', '37']);
  expect(await servers(cluster)).toMatchObject([{ state: 'Stopped' }, { state: 'Running', version: '1.37' }]);

  const started = await cluster.slipway(['dev', 'server', 'start', '1', '--version', '1.37']);
  expect(started.stdout).toMatch(/^API server 1 runs as version 1\.37 at https:/);
  expect(await all()).toEqual(['37', '37', '37']);
});

test('a field of a gate is kept by the API server that has it on, and dropped by the other', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({
    nodes: 1,
    args: ['--ephemeral', '--servers', '2', '--server-gates', `1:${gate}=false`, '--server-gates', `2:${gate}=true`],
  });
  // The guard of a feature that is off would refuse what this is about.
  const unguarded = JSON.stringify({ spec: { guard: { mode: 'None' } } });
  const patch = ['-n', 'kube-system', 'patch', 'feature', gate.toLowerCase(), '--type=merge', '-p', unguarded];
  const patched = await cluster.kubectl(patch);
  expect(patched, patched.stderr).toMatchObject({ code: 0 });
  await eventually('the guard is gone', async () => {
    const { stdout } = await cluster.kubectl(['get', 'validatingadmissionpolicies', '-o', 'name']);
    return !stdout.includes(gate.toLowerCase());
  });
  const through = async (server: number) => {
    const words = ['--context', `slipway-dev-server-${server}`, '-n', 'default'];
    const applied = await cluster.kubectl([...words, 'apply', '-f', '-', '-o', 'json'], { stdin: manifest });
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    await cluster.kubectl([...words, 'delete', 'statefulset', 'db']);
    return JSON.parse(applied.stdout).spec.updateStrategy.rollingUpdate.maxUnavailable;
  };
  expect(await through(1)).toBeUndefined();
  expect(await through(2)).toBe(2);
  const metrics = await cluster.kubectl(['--context', 'slipway-dev-server-2', 'get', '--raw', '/metrics']);
  expect(metrics.stdout).toContain(`kubernetes_feature_enabled{name="${gate}",stage="BETA"} 1`);

  const released = await cluster.slipway(['dev', 'server', 'restart', '2', '--feature-gates', `${gate}=false`]);
  expect(released.stdout).toContain(`with ${gate}=false`);
  expect(await through(2)).toBeUndefined();
});

test.each([
  [['--servers', '2', '--server-version', '3:1.36'], /--server-version speaks of API server 3, and there are 2/],
  [
    ['--servers', '2', '--server-version', '2:latest'],
    /"latest" is not a Kubernetes version.*\n?.*choose one of 1\.34, 1\.35, 1\.36, 1\.37/,
  ],
  [['--kubernetes', '1.33'], /'--kubernetes <version>' argument '1\.33' is invalid\. .*1\.34, 1\.35, 1\.36, 1\.37/],
  [['--servers', '2', '--server-gates', 'Foo=true'], /"Foo=true" names no API server by its number/],
  [['--servers', '2', '--server-gates', '2:Foo=true'], /refuses --feature-gates Foo=true/],
  [['--servers', '0'], /whole number from 1 to 9/],
  [['--time-scale', 'fast'], /whole number from 1 to 1000/],
])('up %j is refused, and nothing starts', async (args, message) => {
  const outcome = await slipway(['up', '--ephemeral', '--data-dir', '/nonexistent/x', '--port', '0', ...args]);
  expect(outcome).toMatchObject({ code: 2, stdout: '' });
  expect(outcome.stderr).toMatch(message);
  expect(outcome.stderr).toContain('To fix:');
});

test('an API server that there is not cannot be stopped', async () => {
  await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
  const refused = await cluster.slipway(['dev', 'server', 'stop', '2']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('To fix: name one of: 1');
});
