import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
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
export function appFolder(repository: string, native: NativePart): ReleaseFile[] {
  const command = bundledCommand(repository);
  const manifest = readFileSync(join(repository, 'packages/cli/package.json'));
  const { name, version, license } = JSON.parse(manifest.toString()) as Record<string, string>;
  const shown = Buffer.from(`${JSON.stringify({ name, version, license, type: 'module' }, null, 2)}\n`);
  return sortFiles([
    { path: 'package.json', content: shown },
    { path: 'LICENSE', content: readFileSync(join(repository, 'LICENSE')) },
    { path: 'bin/slipway.js', content: Buffer.from("import '../dist/lib/main.js';\n") },
    ...command,
    ...lmdbFiles(repository, native),
  ]);
}

/** The command as `npm run build` bundled it, with paths as in the package `slipway`. @throws Error when it is not built */
export function bundledCommand(repository: string): ReleaseFile[] {
  const command = join(repository, 'packages/cli');
  const list = join(command, 'dist/bundle.json');
  if (!existsSync(list)) throw new Error('packages are not built\nTo fix: npm run build');
  // What is compiled for one engine is of no use to others, and differs from build to build.
  const names = (JSON.parse(readFileSync(list, 'utf8')) as string[]).filter((name) => !name.startsWith('kep.cjs'));
  return [
    ...names.map((name) => ({ path: `dist/lib/${name}`, content: readFileSync(join(command, 'dist/lib', name)) })),
    ...filesIn(join(command, 'templates'), 'templates'),
  ];
}

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
