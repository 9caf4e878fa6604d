import { expect, test } from 'vitest';
import { run, slipway } from '../support/slipway.js';
import { testOfExample } from '../support/test-of-example.js';

test('slipway feature test plays features on a cluster of its own, and says what it found', async () => {
  const played = await slipway(['feature', 'test', 'MaxUnavailableStatefulSet', 'openapiv3'], { timeoutMs: 120_000 });
  expect(played, played.stdout + played.stderr).toMatchObject({ code: 0 });
  expect(played.stdout).toContain('passed  MaxUnavailableStatefulSet  no old value came back: no object uses it');
  expect(played.stdout).toContain('passed  OpenAPIV3  as at the beginning: nothing was left behind');
  expect(played.stdout).not.toContain('failed');
}, 120_000);

test('slipway feature test asks before it touches a cluster, and for a gate', async () => {
  const nothing = await slipway(['feature', 'test']);
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('To fix: slipway feature test --all') });
  const current = await slipway(['feature', 'test', '--all', '--cluster', 'current']);
  expect(current).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
});

test("the example of the author's guide runs as its README says", async () => {
  const done = await run(process.execPath, ['--test', testOfExample('feature-with-tasks')], { timeoutMs: 90_000 });
  expect(done, done.stdout).toMatchObject({ code: 0 });
  expect(done.stdout).toMatch(/# pass 1\n/);
}, 120_000);
