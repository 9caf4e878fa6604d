// @ts-check
/**
 * `npm run test:foreign [-- NAME...]`: builds operators and clients of others from their Go modules into node_modules/.real,
 * once for each version, and runs e2e/scenarios/foreign-*.test.ts with them, or only the tests of those that are named.
 * Exits with 3 where there is no Go, or a build did not succeed.
 */
import { spawnSync } from 'node:child_process';
import { argv, env, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { clients } from './foreign/clients.mjs';
import { buildSoftware, foreignFolder } from './foreign/operator-programs.mjs';
import { operators } from './foreign/operators.mjs';
import { refuse } from './real/go-modules.mjs';

const names = argv.slice(2);
/** @type {readonly (import('./foreign/operators.mjs').Software & Pick<import('./foreign/operators.mjs').OperatorParts, 'beside'>)[]} */
const all = [...operators, ...clients];
const known = all.map(({ name }) => name);
for (const name of names) if (!known.includes(name)) refuse(`${name} is not known`, `name one of ${known.join(', ')}`);
const chosen = all.filter(({ name }) => names.length === 0 || names.includes(name));
buildSoftware(chosen.flatMap((one) => (one.beside ? [one, one.beside] : [one])));
const only = names.length === 0 ? [] : ['-t', `^(${names.join('|')}) `];
const tests = ['vitest', 'run', '--no-file-parallelism', '--maxConcurrency=3', 'e2e/scenarios/foreign-', ...only];
const run = spawnSync('npx', tests, {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
  env: { ...env, SLIPWAY_FOREIGN: foreignFolder },
});
exit(run.status ?? 5);
