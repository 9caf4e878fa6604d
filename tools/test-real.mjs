// @ts-check
/**
 * `npm run test:real`: builds Kubernetes' own programs and etcd from their Go modules into node_modules/.real, once for
 * each version, and the release before this tree. Runs e2e/scenarios/real-*.test.ts with them: all with the newest minor,
 * those that take a control plane alone with the two before it. What follows `--` goes to vitest. Needs Go and root. Exits
 * with 3 when there is nothing to run them on: no root, no Go, or a build that did not succeed. With
 * SLIPWAY_REQUIRE_REAL=1 it tries what failed once more (`tools/try-again.mjs`). What failed with any version is named
 * again at the very end.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { argv, env, exit, getuid, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { refuse } from './real/go-modules.mjs';
import { previousRelease } from './real/previous-release.mjs';
import { clusterPrograms, controlPlanePrograms, kubernetesVersions, realPrograms } from './real/real-programs.mjs';

const ofEveryMinor = ['real-kubernetes', 'real-release', 'real-differences', 'real-first-objects'];
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
const root = fileURLToPath(new URL('..', import.meta.url));
const outcome = `${root}node_modules/.test-outcome.json`;
/** @type {string[]} */
const failures = [];
const codes = [...folders].map(([version, folder]) => {
  stdout.write(`With Kubernetes ${version}:\n`);
  const files = version === newest ? ['real-'] : ofEveryMinor;
  const status = runTests(files, {
    SLIPWAY_REAL_KUBERNETES: folder,
    ...(before !== undefined && { SLIPWAY_PREVIOUS_RELEASE: before }),
    ...(version !== newest && { SLIPWAY_DIFFERENTIAL_RUNS: env.SLIPWAY_DIFFERENTIAL_RUNS ?? fewScenarios }),
  });
  if (status !== 0) failures.push(...failedIn(`Kubernetes ${version}`, status));
  return status;
});
for (const line of failures) stdout.write(`${line}\n`);
exit(Math.max(...codes));

/**
 * Two files at a time: each starts a control plane of its own, which waits more than it works.
 * @param {readonly string[]} files
 * @param {NodeJS.ProcessEnv} settings
 */
function runTests(files, settings) {
  for (const left of [outcome, `${outcome}.first`]) rmSync(left, { force: true });
  const tests = ['vitest', 'run', ...files.map((name) => `e2e/scenarios/${name}`), ...argv.slice(2)];
  const again = env.SLIPWAY_REQUIRE_REAL === '1';
  if (again) tests.push('--retry=1');
  const all = { ...env, VITEST_MAX_WORKERS: '2', ...settings };
  const { status } = spawnSync('npx', tests, { cwd: root, stdio: 'inherit', env: all });
  if (status === 0 || !again) return status ?? 5;
  return spawnSync('node', ['tools/try-again.mjs'], { cwd: root, stdio: 'inherit', env: all }).status ?? 5;
}

/**
 * @param {string} where
 * @param {number} status
 */
function failedIn(where, status) {
  const left = [outcome, `${outcome}.first`].find((file) => existsSync(file));
  if (left === undefined) return [`failed with ${where}: vitest ended with ${status} before its tests`];
  /** @type {import('./closing-line.js').FirstRun} */
  const { failed, lost } = JSON.parse(readFileSync(left, 'utf8'));
  const names = failed.map((name) => `failed with ${where}: ${name}`);
  return lost > 0 ? [...names, `failed with ${where}: ${lost} skipped, or outside of all tests`] : names;
}
