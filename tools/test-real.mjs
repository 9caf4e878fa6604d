// @ts-check
/**
 * `npm run test:real`: builds Kubernetes' own programs and etcd from their Go modules into node_modules/.real, once for
 * each version, and the release before this tree. Runs e2e/scenarios/real-*.test.ts with them: all with the newest minor,
 * those that take a control plane alone with the two before it. What follows `--` goes to vitest. Needs Go and root. Exits
 * with 3 when there is nothing to run them on: no root, no Go, or a build that did not succeed.
 */
import { spawnSync } from 'node:child_process';
import { argv, env, exit, getuid, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { refuse } from './real/go-modules.mjs';
import { previousRelease } from './real/previous-release.mjs';
import { clusterPrograms, controlPlanePrograms, kubernetesVersions, realPrograms } from './real/real-programs.mjs';

const ofEveryMinor = ['real-kubernetes', 'real-release', 'real-differences'];
/** Scenarios of the harness; the newest minor has more of them. */
const fewScenarios = '200';

if (getuid?.() !== 0) refuse('real Kubernetes runs in a network namespace, which takes root', 'run it as root');
const [newest = '', ...older] = kubernetesVersions;
// Before any test runs: a build fills a small machine.
const folders = new Map([
  [newest, realPrograms(clusterPrograms, newest)],
  ...older.map((version) => /** @type {const} */ ([version, realPrograms(controlPlanePrograms, version)])),
]);
const before = previousRelease();
const codes = [...folders].map(([version, folder]) => {
  stdout.write(`With Kubernetes ${version}:\n`);
  const files = version === newest ? ['real-'] : ofEveryMinor;
  return runTests(files, {
    SLIPWAY_REAL_KUBERNETES: folder,
    ...(before !== undefined && { SLIPWAY_PREVIOUS_RELEASE: before }),
    ...(version !== newest && { SLIPWAY_DIFFERENTIAL_RUNS: env.SLIPWAY_DIFFERENTIAL_RUNS ?? fewScenarios }),
  });
});
exit(Math.max(...codes));

/**
 * Two files at a time: each starts a control plane of its own, which waits more than it works.
 * @param {readonly string[]} files
 * @param {NodeJS.ProcessEnv} settings
 */
function runTests(files, settings) {
  const tests = ['vitest', 'run', ...files.map((name) => `e2e/scenarios/${name}`)];
  if (env.SLIPWAY_REQUIRE_REAL === '1') tests.push('--retry=1');
  const run = spawnSync('npx', [...tests, ...argv.slice(2)], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
    env: { ...env, VITEST_MAX_WORKERS: '2', ...settings },
  });
  return run.status ?? 5;
}
