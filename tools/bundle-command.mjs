// @ts-check
/**
 * Bundles the built `slipway` command into `packages/cli/dist/lib`: a fifth of the files, which halves the processor
 * time of a start. `bundle.json` beside it lists the files of the newest bundle. Those of the bundle before stay as
 * well, for processes that still run from it and load a part only now.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { bundleKep } from './bundle-kep.mjs';

/** What is at the same path in the bundle, seen from `dist/lib`. */
const outside = new Set([...['package.json', 'templates/'].map((path) => join('..', '..', path)), './kep.cjs']);

/** @param {string} repository */
export async function bundleCommand(repository) {
  const command = join(repository, 'packages/cli');
  const folder = join(command, 'dist/lib');
  const list = join(command, 'dist/bundle.json');
  const building = await rolldown({
    input: { main: join(command, 'dist/main.js') },
    platform: 'node',
    external: ['lmdb'],
    logLevel: 'silent',
    plugins: [partsBeside],
  });
  const { output } = await building.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    // Hashes keep a chunk from having the path of a module that was bundled into another.
    chunkFileNames: 'chunk-[hash].js',
    comments: { legal: false },
  });
  await building.close();

  mkdirSync(folder, { recursive: true });
  for (const file of output)
    writeFileSync(join(folder, file.fileName), file.type === 'chunk' ? file.code : file.source);
  const templates = join(command, 'templates');
  rmSync(templates, { recursive: true, force: true });
  cpSync(join(repository, 'packages/kep/templates'), templates, { recursive: true });

  const names = [...output.map(({ fileName }) => fileName), ...(await bundleKep(repository))].sort();
  /** @type {string[]} */
  const before = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  writeFileSync(list, JSON.stringify(names));
  const kept = new Set([...names, ...before]);
  for (const name of readdirSync(folder)) if (!kept.has(name)) rmSync(join(folder, name));
}

/**
 * Adds what modules open by `new URL('./x', import.meta.url)`: workers, programs and data beside them.
 * @type {import('rolldown').Plugin}
 */
const partsBeside = {
  name: 'parts-beside',
  transform(code, id) {
    for (const [, target = ''] of code.matchAll(/new URL\(\s*['"`]([^'"`]+)['"`],\s*import\.meta\.url,?\s*\)/g)) {
      if (outside.has(target)) continue;
      const path = join(dirname(id), target);
      if (!target.startsWith('./') || !existsSync(path)) {
        throw new Error(`${id} opens ${target}, which the bundle has no place for`);
      }
      const fileName = basename(path);
      if (path.endsWith('.js')) this.emitFile({ type: 'chunk', id: path, name: basename(path, '.js'), fileName });
      else this.emitFile({ type: 'asset', fileName, source: readFileSync(path) });
    }
  },
};
