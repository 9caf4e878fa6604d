import { expect, test } from 'vitest';
import { slipway } from '../support/slipway.js';

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
