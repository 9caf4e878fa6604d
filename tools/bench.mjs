// @ts-check
/** Runs one bench, or all of them: `npm run bench -- storage`. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { kwokFolder } from './real/kwok.mjs';
import { clusterPrograms, controlPlanePrograms, realPrograms } from './real/real-programs.mjs';

const bench = fileURLToPath(new URL('../bench/', import.meta.url));
const all = readdirSync(bench)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length));
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !all.includes(name));
if (unknown) {
  process.stderr.write(`no bench is called ${unknown}\nTo fix: name one of ${all.join(', ')}\n`);
  process.exit(2);
}
/** What a bench is measured beside, where it has to be built first. */
const builtFor = /** @type {Readonly<Record<string, () => Record<string, string>>>} */ ({
  'api-server': () => ({ SLIPWAY_REAL_KUBERNETES: realPrograms(controlPlanePrograms) }),
  kwok: () => ({ SLIPWAY_REAL_KUBERNETES: realPrograms(clusterPrograms), SLIPWAY_KWOK: kwokFolder() }),
});
for (const name of wanted.length > 0 ? wanted : all) {
  const run = spawnSync(process.execPath, ['--expose-gc', `${bench}dist/${name}.js`], {
    stdio: 'inherit',
    env: { ...process.env, ...builtFor[name]?.() },
  });
  if (run.status !== 0) process.exit(run.status ?? 5);
}
