// @ts-check
/**
 * `npm run test:real`: builds Kubernetes' own programs and etcd from their Go modules into node_modules/.real, once for
 * each version, and runs e2e/scenarios/real-*.test.ts with them. What follows `--` goes to vitest. Needs Go and root.
 * Exits with 3 when there is nothing to run them on: no root, no Go, or a build that did not succeed.
 */
import { spawnSync } from 'node:child_process';
import { argv, env, exit, getuid } from 'node:process';
import { fileURLToPath } from 'node:url';
import { clusterPrograms, realPrograms, refuse } from './real/real-programs.mjs';

if (getuid?.() !== 0) refuse('real Kubernetes runs in a network namespace, which takes root', 'run it as root');
const target = realPrograms(clusterPrograms);
// One file after the other: each starts a control plane of its own, and two of them fill a small machine.
const tests = ['vitest', 'run', '--no-file-parallelism', 'e2e/scenarios/real-', ...argv.slice(2)];
if (env.SLIPWAY_REQUIRE_REAL === '1') tests.push('--retry=1');
const run = spawnSync('npx', tests, {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
  env: { ...env, SLIPWAY_REAL_KUBERNETES: target },
});
exit(run.status ?? 5);
