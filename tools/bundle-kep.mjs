// @ts-check
/**
 * Writes `slipway kep` as one script, `packages/cli/dist/lib/kep.cjs`, and beside it the code that this V8 makes of it. `runCompiled`
 * runs them. Only the bundle of the whole command has what other nouns need.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Loaded for other nouns, for completion, and by the verbs that `main.ts` does not run from here. */
const outside =
  /^(?:\.\/commands\/(?!kep\/)|\.\/completion\/|\.\/language-server\/|\.\/observe-cluster|.*\/runtime\/connect\.js$|@slipway\/kube$)/;

/**
 * Returns the names of the files that it wrote.
 * @param {string} repository path, with the built packages in it
 */
export async function bundleKep(repository) {
  const dist = join(repository, 'packages/cli/dist');
  const folder = join(dist, 'lib');
  for (const name of readdirSync(folder)) if (name.startsWith('kep.cjs')) rmSync(join(folder, name));

  writeFileSync(join(folder, 'start.cjs'), await commonJs(join(dist, 'start.js'), /^\.\/main\.js$/));
  const program = `(function(exports,require,__filename){${await commonJs(join(dist, 'command-line.js'), outside)}\n})`;
  const digest = createHash('sha256').update(program).digest('hex').slice(0, 30);
  writeFileSync(join(folder, 'kep.cjs'), `//${digest}\n${program}`);

  const compiler = fileURLToPath(new URL('./compile-kep.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [compiler, repository], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`kep.cjs cannot be compiled: ${stderr}`);
  return readdirSync(folder).filter((name) => /^(?:kep|start)\.cjs/.test(name));
}

/**
 * Commander loads what runs other programs, which a command does only if it is a program of its own; none of ours is.
 * @type {import('rolldown').Plugin}
 */
const programsLater = {
  name: 'programs-later',
  transform(code, id) {
    if (!id.endsWith('/commander/lib/command.js')) return undefined;
    const loaded = "require('node:child_process')";
    if (!code.includes(loaded)) throw new Error(`${id} does not load node:child_process as it did`);
    return code.replace(loaded, `{ get spawn() { return ${loaded}.spawn; } }`);
  },
};

/**
 * A module with all it needs, as CommonJS in ASCII: one byte a character is read faster, and takes half the memory.
 * @param {string} input
 * @param {RegExp} external what it does not take along
 */
async function commonJs(input, external) {
  const building = await rolldown({
    input,
    platform: 'node',
    logLevel: 'silent',
    external: (id) => external.test(id),
    transform: { define: { 'import.meta.url': 'here' } },
    plugins: [programsLater],
  });
  const { output } = await building.generate({
    format: 'cjs',
    codeSplitting: false,
    comments: { legal: false },
    // The engine keeps the source in memory. Names stay, for the stack of an error.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await building.close();
  const here = "const here=require('node:url').pathToFileURL(__filename).href;";
  return `${here}${output[0].code}`.replace(
    /[^\0-\x7f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
