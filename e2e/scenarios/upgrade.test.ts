import { expect, test } from 'vitest';
import { eventually, slipway, up } from '../support/slipway.js';

test('upgrade check says what comes on, what blocks, and what it did not look at', async () => {
  await using cluster = await up({
    nodes: 1,
    args: ['--ephemeral', '--component-gates', 'kube-controller-manager:MaxUnavailableStatefulSet=false'],
  });
  const check = (...args: string[]) => cluster.slipway(['upgrade', 'check', ...args]);
  await eventually('every component has reported', async () => {
    const { stdout } = await check('--to', 'v1.35', '-o', 'json');
    return JSON.parse(stdout).coverage.processes === 4;
  });

  const next = await check('--to', 'v1.35', '-o', 'json');
  const verdict = JSON.parse(next.stdout);
  expect(verdict).toMatchObject({ from: '1.34', to: '1.35', path: ['1.35'], verdict: 'Warnings' });
  expect(verdict.findings).toContainEqual(expect.objectContaining({ check: 'U003', gate: 'ImageVolume' }));
  expect(next.code).toBe(0);
  expect((await check('--to', 'v1.35', '--strict')).code).toBe(1);

  const table = await check('--to', '1.37');
  expect(table.stdout).toMatch(/v1\.34 to v1\.37 \(by way of v1\.35, v1\.36\)/);
  expect(table.stdout).toMatch(/^Not analysed: stored objects/m);
  expect(table.stdout).not.toMatch(/\bsafe\b/i);
  expect(table.stdout).toMatch(/^Not analysed: kube-proxy: no process of it reports/m);

  const sarif = JSON.parse((await check('--to', '1.37', '-o', 'sarif')).stdout);
  expect(sarif.runs[0].results.length).toBeGreaterThan(0);
  expect(sarif.runs[0].invocations[0].toolExecutionNotifications.length).toBeGreaterThan(0);

  // On the way back a kubelet that stays is too new.
  const back = await check('--to', 'v1.33');
  expect(back).toMatchObject({ code: 1 });
  expect(back.stdout).toMatch(/U009 +blocker .*may not be newer than the API server/);
  expect(back.stdout).toMatch(/^To fix: U009/m);
});

test.each([
  [['--to', 'soon'], 'a version looks like v1.35'],
  [['--to', 'v1.99'], 'gates are known from v1.33'],
  [[], "required option '--to"],
])('upgrade check %j is wrong usage', async (args, message) => {
  const done = await slipway(['upgrade', 'check', ...args]);
  expect(done.code).toBe(2);
  expect(done.stderr).toContain(message);
});
