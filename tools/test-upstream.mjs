// @ts-check
/**
 * `npm run test:upstream [-- FLAG...]`: runs the conformance specs of Kubernetes' own end-to-end suite against a cluster of
 * `slipway up`, except those of upstream/exceptions.txt. Builds the suite from its Go module the first time.
 *
 *   --quick      not those that take minutes
 *   --all        also those that cannot pass, and names those that do
 *   --focus RE   only specs whose name the expression finds, instead of all of conformance
 *   --save FILE  writes all results there, as JSON
 *
 * Exits with 1 when a spec fails that is not listed, or the cluster does not answer at the end; with 3 when there is no Go.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process, { exit, stderr, stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Kube } from '@slipway/kube';
import { kubernetesVersions, realPrograms } from './real/real-programs.mjs';
import { runSpecs, specNames } from './upstream/run-specs.mjs';
import { chooseSpecs, compareWithList, readExceptions } from './upstream/spec-list.mjs';

/** @typedef {import('./upstream/run-specs.mjs').SpecResult} SpecResult */

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    focus: { type: 'string', default: '\\[Conformance\\]' },
    save: { type: 'string' },
  },
});
/** Most of the time specs wait: more of them at once need little more of the machine. */
const atOnce = 14;
const requests = 200;

const program = join(realPrograms(['e2e.test']), 'e2e.test');
const exceptions = readExceptions(readFileSync(new URL('upstream/exceptions.txt', import.meta.url), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'slipway-upstream-'));
const kubeconfig = join(folder, 'kubeconfig');
const slipway = fileURLToPath(new URL('../packages/cli/bin/slipway.js', import.meta.url));
const cluster = spawn(
  process.execPath,
  [
    slipway,
    'up',
    '--ephemeral',
    '--name',
    'upstream',
    '--port',
    '0',
    '--nodes',
    '3',
    '--data-dir',
    join(folder, 'data'),
    '--kubeconfig',
    kubeconfig,
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
);
/** @type {SpecResult[]} */
const results = [];
let isFine = false;
/** @type {unknown} */
let failure;
try {
  while (!existsSync(kubeconfig) && cluster.exitCode === null) await sleep(100);
  const kube = await Kube.connect({ kubeconfig });
  const before = await requestMs(kube);
  const suite = { program, kubeconfig, folder, atOnce, patienceSeconds: values.quick ? 120 : 330 };
  const names = await specNames(suite, values.focus);
  const { together, alone } = chooseSpecs(names, exceptions, values);
  const take = (/** @type {SpecResult} */ result) => {
    results.push(result);
    stderr.write(
      `${results.length}/${together.length + alone.length} ${result.state} ${result.seconds} s ${result.name}\n`,
    );
  };
  await runSpecs(suite, together, take);
  await runSpecs({ ...suite, atOnce: 1 }, alone, take);
  const after = await requestMs(kube);
  isFine = report(names, together.length + alone.length) && cluster.exitCode === null;
  stdout.write(`a request took ${before.toFixed(2)} ms before and ${after.toFixed(2)} ms after\n`);
} catch (error) {
  failure = error;
} finally {
  if (values.save !== undefined) writeFileSync(values.save, JSON.stringify(results, undefined, 1));
  if (cluster.exitCode === null) {
    cluster.kill('SIGTERM');
    await once(cluster, 'exit');
  }
  // Processes that were given up may write a last time.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
}
if (failure !== undefined) throw failure;
exit(isFine ? 0 : 1);

/**
 * Prints what came of it. Returns whether all is as the list says.
 * @param {readonly string[]} names
 * @param {number} count
 */
function report(names, count) {
  const { passed, skipped, unexpected, better, unknown } = compareWithList(names, results, exceptions);
  for (const { name, why } of unexpected) stdout.write(`failed: ${name}\n    ${why.split('\n')[0]}\n`);
  for (const name of better) stdout.write(`passes, but is listed as one that cannot: ${name}\n`);
  const isWhole = values.focus === '\\[Conformance\\]';
  if (isWhole)
    for (const name of unknown) stdout.write(`listed, but is not a spec of ${kubernetesVersions[0]}: ${name}\n`);
  stdout.write(
    `${passed} of ${count - skipped} specs pass; ${names.length - count} of ${names.length} were left out\n`,
  );
  return unexpected.length === 0 && (!isWhole || unknown.length === 0);
}

/**
 * Milliseconds that one GET takes: the median, as the machine may be busy.
 * @param {Kube} kube
 */
async function requestMs(kube) {
  const times = [];
  for (let count = 0; count < requests; count++) {
    const began = performance.now();
    await kube.transport.request({ method: 'GET', path: '/api/v1/namespaces/default' });
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[requests / 2] ?? 0;
}
