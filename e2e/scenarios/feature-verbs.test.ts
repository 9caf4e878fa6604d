import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually, freeGates, slipway, up } from '../support/slipway.js';

test('feature drift names processes of one component that run different values', async () => {
  const gates = ['--servers', '2', '--server-gates', '2:MaxUnavailableStatefulSet=true'];
  await using cluster = await up({ kubernetes: freeGates, nodes: 1, args: ['--ephemeral', ...gates] });
  const found = await eventually('both API servers have reported', async () => {
    const done = await cluster.slipway(['feature', 'drift', '-o', 'json']);
    return JSON.parse(done.stdout).length > 0 && done;
  });
  expect(found.code).toBe(1);
  expect(JSON.parse(found.stdout)).toMatchObject([
    { component: 'kube-apiserver', gate: 'MaxUnavailableStatefulSet', on: [expect.any(String)] },
  ]);
  expect(found.stderr).toMatch(/^To fix: slipway feature uses MaxUnavailableStatefulSet/m);

  const elsewhere = await cluster.slipway(['feature', 'drift', '-n', 'default']);
  expect(elsewhere.code).toBe(3);
  expect(elsewhere.stderr).toContain('no process reports in namespace default');
});

test('feature explain works without a cluster', async () => {
  const nowhere = { env: { KUBECONFIG: '/nowhere' } };
  const done = await slipway(['feature', 'explain', 'imagevolume'], nowhere);
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toMatch(/KEP: +4639/);
  expect(done.stdout).toMatch(/v1\.36 +GA +on +yes/);
  const unknown = await slipway(['feature', 'explain', 'NoSuchGate'], nowhere);
  expect(unknown.code).toBe(3);
  expect(unknown.stderr).toContain('To fix:');
});

test('feature requires tells which gates manifests need, and whether they are on', async () => {
  const manifest = fileURLToPath(new URL('../../examples/kep-961/stateful-sets.yaml', import.meta.url));
  await using cluster = await up({ kubernetes: freeGates, nodes: 1, args: ['--ephemeral'] });
  const requires = (file: string, ...args: string[]) =>
    cluster.slipway(['feature', 'requires', '-f', file, '-o', 'json', ...args]);

  const off = await requires(manifest);
  expect(off.code).toBe(1);
  expect(JSON.parse(off.stdout).required).toContainEqual(
    expect.objectContaining({ gate: 'MaxUnavailableStatefulSet', path: expect.stringContaining('maxUnavailable') }),
  );
  expect(off.stderr).toContain('To fix: slipway feature on MaxUnavailableStatefulSet --wait');
  expect(off.stderr).toContain('Of other gates nothing is known');

  expect(await cluster.slipway(['feature', 'on', 'MaxUnavailableStatefulSet', '--yes', '--wait'])).toMatchObject({
    code: 0,
  });
  expect(await requires(manifest)).toMatchObject({ code: 0 });
  expect(await requires('/nowhere.yaml')).toMatchObject({ code: 2 });
});

test('feature diff tells what two clusters run differently', async () => {
  const gates = ['--component-gates', 'kube-controller-manager:MaxUnavailableStatefulSet=true'];
  await using staging = await up({
    kubernetes: freeGates,
    nodes: 1,
    args: ['--ephemeral', '--name', 'staging', ...gates],
  });
  await using production = await up({ kubernetes: freeGates, nodes: 1, args: ['--ephemeral', '--name', 'production'] });
  const KUBECONFIG = `${staging.kubeconfig}:${production.kubeconfig}`;
  const diff = (...args: string[]) => slipway(['feature', 'diff', ...args], { env: { KUBECONFIG } });
  const both = ['--context', 'slipway-staging', '--context', 'slipway-production'];

  const manager = { component: 'kube-controller-manager', gate: 'MaxUnavailableStatefulSet' };
  const found = await eventually('both have reported', async () => {
    const done = await diff(...both, '-o', 'json');
    const { differences } = JSON.parse(done.stdout);
    return differences.length === 1 && done;
  });
  expect(found.code).toBe(1);
  expect(JSON.parse(found.stdout)).toEqual({
    clusters: ['slipway-staging', 'slipway-production'],
    differences: [{ ...manager, one: 'on', other: 'off' }],
  });
  expect(found.stderr).toMatch(/^To fix: slipway feature uses MaxUnavailableStatefulSet --context slipway-production/m);

  const same = await diff('--context', 'slipway-staging', '--context', 'slipway-staging');
  expect(same).toMatchObject({ code: 0, stdout: '' });
  expect(await diff('--context', 'slipway-staging')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('exactly two clusters are required'),
  });
});

test('feature import makes what runs today what is wanted, and a flag that changes is told of then', async () => {
  await using cluster = await up({ kubernetes: freeGates, nodes: 1, args: ['--ephemeral'] });
  const imported = (...args: string[]) => cluster.slipway(['feature', 'import', ...args]);
  const gate = 'MaxUnavailableStatefulSet';
  const plan = await eventually('its processes to agree', async () => {
    const done = await imported();
    return new RegExp(`^${gate} +Off +wanted as it is$`, 'm').test(done.stdout) && done;
  });
  expect(plan.stderr).toMatch(/would be wanted as they are\. To write it: slipway feature import --yes/);
  const manifests = JSON.parse((await imported('-o', 'json')).stdout);
  expect(manifests.items).toContainEqual({
    apiVersion: 'features.slipway.dev/v1alpha1',
    kind: 'Feature',
    metadata: { name: gate.toLowerCase(), namespace: 'kube-system' },
    spec: { gate, desired: 'Off' },
  });

  const desired = async () =>
    (
      await cluster.kubectl([
        'get',
        'feature',
        '-n',
        'kube-system',
        gate.toLowerCase(),
        '-o',
        'jsonpath={.spec.desired}',
      ])
    ).stdout;
  expect(await desired()).toBe('Unmanaged');
  expect(await imported('--yes')).toMatchObject({ code: 0 });
  expect(await desired()).toBe('Off');
  expect((await imported()).stdout).toMatch(new RegExp(`^${gate} +Off +decided already$`, 'm'));

  await cluster.slipway(['dev', 'component', 'restart', 'kube-controller-manager', '--gates', `${gate}=true`]);
  await eventually('the drift to be told of', async () => {
    const { stdout } = await cluster.slipway(['feature', 'get', gate, '-o', 'json']);
    const { status } = JSON.parse(stdout);
    const drift = status.conditions.find(({ type }: { type: string }) => type === 'UsesConsistent');
    return status.state === 'Off' && drift.reason === 'Drift';
  });
});
