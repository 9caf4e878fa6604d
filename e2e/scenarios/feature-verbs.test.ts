import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually, slipway, up } from '../support/slipway.js';

test('feature drift names processes of one component that run different values', async () => {
  const gates = ['--servers', '2', '--server-gates', '2:MaxUnavailableStatefulSet=true'];
  await using cluster = await up({ nodes: 1, args: ['--ephemeral', ...gates] });
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
  await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
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
