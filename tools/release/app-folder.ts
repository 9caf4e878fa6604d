import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { type ReleaseFile, sortFiles } from './release-file.js';

/** An architecture as container images name it. */
export type Arch = 'amd64' | 'arm64';

/** Where the native part of LMDB comes from. */
export interface NativePart {
  /** A folder with the npm package `@lmdb/lmdb-linux-ARCH`. */
  readonly folder: string;
  /** Version of Node's binary interface that the part is used with. */
  readonly abi: string;
}

/**
 * The `slipway` command as a folder that needs nothing but Node: few files, so that it starts fast. The image and the
 * single executable carry it. `dist/lib` holds all code, so that a path that leaves a module for its package
 * (`../../package.json`) means the same as before.
 */
export async function appFolder(repository: string, native: NativePart): Promise<ReleaseFile[]> {
  const main = join(repository, 'packages/cli/dist/main.js');
  if (!existsSync(main)) throw new Error('packages are not built\nTo fix: npm run build');
  const code = await bundle(main);
  const manifest = readFileSync(join(repository, 'packages/cli/package.json'));
  const { name, version, license } = JSON.parse(manifest.toString()) as Record<string, string>;
  const shown = Buffer.from(`${JSON.stringify({ name, version, license, type: 'module' }, null, 2)}\n`);
  return sortFiles([
    { path: 'package.json', content: shown },
    { path: 'LICENSE', content: readFileSync(join(repository, 'LICENSE')) },
    { path: 'bin/slipway.js', content: Buffer.from("import '../dist/lib/main.js';\n") },
    ...code.map(({ path, content }) => ({ path: `dist/lib/${path}`, content })),
    ...filesIn(join(repository, 'packages/kep/templates'), 'templates'),
    ...lmdbFiles(repository, native),
  ]);
}

/** What is at the same path in the bundle, seen from `dist/lib`. */
const outside = new Set(['../../package.json', '../../templates/']);

async function bundle(main: string): Promise<{ readonly path: string; readonly content: Buffer }[]> {
  const building = await rolldown({
    input: { main },
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
  return output.map((file) => ({
    path: file.fileName,
    content: Buffer.from(file.type === 'chunk' ? file.code : file.source),
  }));
}

/** Adds what modules open by `new URL('./x', import.meta.url)`: workers, programs and data beside them. */
const partsBeside: Plugin = {
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

/** LMDB and what it imports, without sources in C, and with one native part. */
function lmdbFiles(repository: string, { folder, abi }: NativePart): ReleaseFile[] {
  const modules = join(repository, 'node_modules');
  const closure = new Set<string>();
  const add = (name: string) => {
    // Only its compiler needs it.
    if (closure.has(name) || name === 'node-addon-api') return;
    closure.add(name);
    const { dependencies = {} } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
    for (const dependency of Object.keys(dependencies)) add(dependency);
  };
  add('lmdb');
  const code = [...closure].flatMap((name) =>
    filesIn(join(modules, name), `node_modules/${name}`).filter(
      ({ path }) =>
        /(\.(js|cjs|mjs)|package\.json|\/LICENSE[^/]*)$/i.test(path) &&
        !/\.min\.js$|\/(\.|tests?\/|test[.-]|build-test|deno\.|rollup\.config)/.test(path),
    ),
  );
  const exact = `node.abi${abi}.glibc.node`;
  const addon = existsSync(join(folder, exact)) ? exact : 'node.napi.glibc.node';
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string };
  const part = ['package.json', 'index.js', addon].map((file) => ({
    path: `node_modules/${name}/${file}`,
    content: readFileSync(join(folder, file)),
  }));
  return [...code, ...part];
}

function filesIn(folder: string, at: string): ReleaseFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { path: `${at}/${relative(folder, path)}`, content: readFileSync(path) };
    });
}
