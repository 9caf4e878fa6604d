import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, freeGates, type RunningCluster, slipway, slipwayProgram, up } from '../support/slipway.js';

let cluster: RunningCluster;
let server: ChildProcess;
const gate = 'MaxUnavailableStatefulSet';
const run = (...args: string[]) => slipway([...args, '--kubeconfig', cluster.kubeconfig]);

beforeAll(async () => {
  cluster = await up({ kubernetes: freeGates, nodes: 1, args: ['--feature-servers', '0'] });
  const args = ['run', 'feature-server', '--kubeconfig', cluster.kubeconfig, '--identity', 'one'];
  server = spawn(process.execPath, [slipwayProgram, ...args], { stdio: 'ignore' });
  await eventually('the feature is announced', async () => (await run('feature', 'get', gate)).code === 0, 40_000);
}, 90_000);
afterAll(async () => {
  server?.kill('SIGKILL');
  await cluster?.[Symbol.asyncDispose]();
});

const missing = /no feature server has run for \d+ [sm]; nothing will change until one does\nTo fix: /;

test('every command says that no feature server runs once the last has stopped, and none does before', async () => {
  const before = await run('feature', 'list');
  expect(before.stderr).not.toMatch(missing);
  const retry = await run('feature', 'retry', gate);
  expect(retry).toMatchObject({ code: 1, stderr: expect.stringContaining('there is nothing to try again') });
  const gone = once(server, 'exit');
  server.kill('SIGTERM');
  await gone;

  for (const verb of ['list', 'drift', 'import']) expect((await run('feature', verb)).stderr).toMatch(missing);
  for (const verb of ['uses', 'pause', 'resume']) expect((await run('feature', verb, gate)).stderr).toMatch(missing);
  expect((await run('feature', 'get', gate)).stdout).toMatch(new RegExp(`Next: ${missing.source}`));
  expect((await run('feature', 'get', gate, '-o', 'json')).stderr).toMatch(missing);

  const on = await run('feature', 'on', gate, '--yes', '--wait', '--timeout', '1s');
  expect(on.code).toBe(3);
  expect(on.stderr).toMatch(missing);

  const check = await run('upgrade', 'check', '--to', 'v1.36', '-o', 'json');
  expect(check.code).not.toBe(0);
  expect(JSON.parse(check.stdout).findings).toContainEqual(
    expect.objectContaining({
      check: 'U016',
      severity: 'unknown',
      message: expect.stringMatching(/^no feature server/),
    }),
  );
  expect((await run('upgrade', 'prepare', '--to', 'v1.36')).stderr).toMatch(missing);
});
