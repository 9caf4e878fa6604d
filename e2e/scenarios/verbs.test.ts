import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { startCommand } from '../support/running-command.js';
import { eventually, freeGates, up, upAlone } from '../support/slipway.js';

const gate = 'MaxUnavailableStatefulSet';
const manifest = fileURLToPath(new URL('../../examples/kep-961/stateful-sets.yaml', import.meta.url));

test('a plan without consent waits for it, is watched, approved and restored', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({ kubernetes: freeGates, nodes: 1, args: ['--ephemeral'] });
  expect(await cluster.slipway(['feature', 'on', gate, '--yes', '--wait'])).toMatchObject({ code: 0 });
  expect((await cluster.kubectl(['apply', '-f', manifest])).code).toBe(0);

  await using watching = await startCommand(
    ...['feature', 'watch', gate, '-o', 'json', '--kubeconfig', cluster.kubeconfig],
  );

  // Without a terminal, and without --yes.
  const refused = await cluster.slipway(['feature', 'off', gate]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('To fix: add --yes');
  const dryRun = await cluster.slipway(['feature', 'off', gate, '--dry-run', '-o', 'json']);
  expect(JSON.parse(dryRun.stdout)).toMatchObject({ gate, to: 'Off', needsConsent: true, inUse: { count: 2 } });
  expect((await cluster.slipway(['feature', 'list'])).stdout).toMatch(/ On {2,}/);

  // What an administrator writes by hand, or with GitOps, waits for consent.
  const byHand = [
    '-n',
    'kube-system',
    'patch',
    'feature',
    gate.toLowerCase(),
    '--type=merge',
    '-p',
    '{"spec":{"desired":"Off"}}',
  ];
  expect((await cluster.kubectl(byHand)).code).toBe(0);
  await eventually('it asks for consent', async () =>
    (await cluster.slipway(['feature', 'get', gate])).stdout.includes('NeedsApproval'),
  );
  expect((await cluster.slipway(['feature', 'approve', gate, '--yes'])).code).toBe(0);
  await eventually('it is off', async () =>
    (await cluster.slipway(['feature', 'get', gate, '-o', 'json'])).stdout.includes('"state": "Off"'),
  );

  const backups = await cluster.slipway(['feature', 'restore', gate, '--list', '-o', 'json']);
  expect(JSON.parse(backups.stdout)).toMatchObject([{ values: 2 }]);
  const dropped = await cluster.slipway(['feature', 'restore', gate, '--yes']);
  expect(dropped.code).toBe(1);
  expect(dropped.stderr).toMatch(/dropped 2 values/);
  expect(dropped.stdout).toMatch(
    /^Restored 0 of 2 values .*\nLeft: 2 values\.\n {2}statefulsets\.apps default\/ledger: /,
  );

  const [{ transition }] = JSON.parse(backups.stdout);
  const unconfirmed = await cluster.slipway(['feature', 'backups', gate, '--delete', transition]);
  expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining('To fix: add --yes') });
  const deleted = await cluster.slipway(['feature', 'backups', gate, '--delete', transition, '--yes']);
  expect(deleted).toMatchObject({ code: 0, stdout: `Deleted 2 values of transition ${transition}.\n` });
  expect((await cluster.slipway(['feature', 'backups', '-o', 'json'])).stdout).toBe('[]\n');

  await eventually('the end is watched', async () => {
    const lines = watching.output().split('\n').slice(0, -1);
    const states = lines.map((line) => JSON.parse(line).object.status?.state);
    return isDeepStrictEqual(
      states.filter((state, at) => state !== states[at - 1]),
      ['On', 'TurningOff', 'Off'],
    );
  });
});

test('uses names every process with its value, and can be narrowed', async () => {
  await using cluster = await up({ kubernetes: freeGates, nodes: 2, args: ['--ephemeral'] });
  const all = async (...args: string[]) => {
    const done = await cluster.slipway(['feature', 'uses', gate, '-o', 'json', ...args]);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    return JSON.parse(done.stdout) as { component: string; value: string }[];
  };
  await eventually('everybody has reported', async () => (await all()).length === 5);
  expect((await all('--value', 'off')).map(({ component }) => component)).toEqual([
    'kube-apiserver',
    'kube-controller-manager',
  ]);
  expect(await all('--component', 'kubelet')).toHaveLength(2);
  expect(await cluster.slipway(['feature', 'uses', 'NoSuchGate'])).toMatchObject({ code: 2 });
});

test('status shows the clusters that run, and down stops one', async () => {
  await using cluster = await upAlone({ kubernetes: freeGates, nodes: 1, args: ['--ephemeral', '--name', 'verbs'] });
  const shown = await cluster.slipway(['status', '-o', 'json']);
  const mine = JSON.parse(shown.stdout).find(({ pid }: { pid: number }) => pid === cluster.process.pid);
  expect(mine).toMatchObject({ name: 'verbs', url: cluster.url, nodes: 1 });
  expect((await cluster.slipway(['status'])).stdout).toMatch(/NAME +SERVER/);

  const stopped = new Promise((resolve) => cluster.process.once('exit', resolve));
  expect(await cluster.slipway(['down', '--name', 'verbs'])).toMatchObject({ code: 0 });
  expect(await stopped).toBe(0);
  const again = await cluster.slipway(['down', '--name', 'verbs']);
  expect(again).toMatchObject({ code: 1 });
  expect(again.stderr).toContain('To fix:');
});
