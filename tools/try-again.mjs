// @ts-check
/**
 * `node tools/try-again.mjs [VITEST FLAG...]`: runs the files whose tests failed in the run before once more, one after
 * the other, and ends with the counts of both runs. A machine that is busy with everything at once may upset a test; a
 * test that is at fault fails here too. What passes only now is named. Exits with 1 without a try when more than six
 * files failed, or when something failed that no second run can mend.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { argv, env, exit, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';

const mostFiles = 6;
const root = fileURLToPath(new URL('..', import.meta.url));
const left = fileURLToPath(new URL('../node_modules/.test-outcome.json', import.meta.url));
const outcome = `${left}.first`;
// Each outcome is tried again once: what ends before its first test leaves none.
if (!existsSync(left)) exit(1);
renameSync(left, outcome);
/** @type {import('./closing-line.js').FirstRun} */
const { failed, lost } = JSON.parse(readFileSync(outcome, 'utf8'));
const files = [...new Set(failed.map((name) => name.slice(0, name.indexOf(': '))))];
if (lost > 0 || files.length === 0 || files.length > mostFiles) exit(1);

stderr.write(`\nOnce more, one after the other: ${files.join(', ')}\n`);
const words = ['vitest', 'run', '--no-file-parallelism', ...argv.slice(2), ...files];
const run = spawnSync('npx', words, { cwd: root, stdio: 'inherit', env: { ...env, SLIPWAY_FIRST_RUN: outcome } });
exit(run.status ?? 1);
