import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundledCommand } from './app-folder.js';
import { licenseList, lockedDependencies } from './dependencies.js';
import { packageFolders } from './package-folders.js';
import type { ReleaseFile } from './release-file.js';
import { gzip, packTar } from './tar.js';

/** A package as it is published. */
export interface NpmPackage {
  readonly name: string;
  readonly fileName: string;
  readonly tarball: Buffer;
}

type Json = Record<string, unknown>;

/** All packages of the repository as npm tarballs; the command is bundled, so that it starts fast. @throws Error when one is not built */
export async function npmPackages(repository: string, time: Date): Promise<NpmPackage[]> {
  const root = readJson(join(repository, 'package.json'));
  return await Promise.all(packageFolders(repository).map((folder) => npmPackage(repository, folder, root, time)));
}

async function npmPackage(repository: string, folder: string, root: Json, time: Date): Promise<NpmPackage> {
  const from = join(repository, folder);
  const manifest = readJson(join(from, 'package.json'));
  const isCommand = folder === 'packages/cli';
  const published = {
    ...publishedManifest(manifest, root, folder),
    ...(isCommand && { dependencies: { lmdb: lmdbRange(repository) } }),
  };
  const listed = isCommand
    ? [
        ...['bin', 'README.md'].flatMap((path) => filesAt(from, path)),
        ...bundledCommand(repository),
        bundledLicenses(repository),
      ]
    : reachable(
        (manifest.files as string[]).flatMap((path) => filesAt(from, path)),
        published,
      );
  const license = { path: 'LICENSE', content: readFileSync(join(repository, 'LICENSE')) };
  const shown = { path: 'package.json', content: Buffer.from(`${JSON.stringify(published, null, 2)}\n`) };
  const files = [...listed, license, shown].map((file) => ({ ...file, path: `package/${file.path}` }));
  const name = String(manifest.name);
  const fileName = `${name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
  return { name, fileName, tarball: gzip(await packTar(files, time)) };
}

/** Those of the libraries that are bundled into the command. */
function bundledLicenses(repository: string): ReleaseFile {
  return { path: 'LICENSES.txt', content: Buffer.from(licenseList(lockedDependencies(repository))) };
}

/** The one dependency that is not bundled into the command: it has a native part. */
function lmdbRange(repository: string): string {
  const { dependencies } = readJson(join(repository, 'packages/devcluster/object-store/package.json'));
  return (dependencies as Record<string, string>).lmdb as string;
}

/** What a package says to those who install it: nothing about sources and what only tests use, which are not in it. */
function publishedManifest(manifest: Json, root: Json, directory: string): Json {
  const { exports: entries, ...rest } = manifest;
  const published = Object.fromEntries(
    Object.entries((entries ?? {}) as Record<string, Json>).flatMap(([path, { 'slipway-source': _, ...entry }]) =>
      Object.keys(entry).length > 0 ? [[path, entry]] : [],
    ),
  );
  const main = published['.'];
  return {
    ...rest,
    homepage: `${root.homepage}/tree/main/${directory}`,
    repository: { ...(root.repository as Json), directory },
    // What a program exports is for the programs beside it.
    exports: main || !manifest.bin ? published : { './package.json': './package.json' },
    ...(main ? { main: main.default, types: main.types } : {}),
    publishConfig: { access: 'public' },
  };
}

function filesAt(folder: string, path: string): ReleaseFile[] {
  const at = join(folder, path);
  if (!statSync(at, { throwIfNoEntry: false })) {
    throw new Error(`${at} is missing\nTo fix: npm run build`);
  }
  const paths = statSync(at).isFile()
    ? [at]
    : readdirSync(at, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
  return paths.filter(isPublished).map((file) => ({
    path: relative(folder, file),
    content: withoutMap(file, readFileSync(file)),
    isExecutable: path === 'bin',
  }));
}

/** The code that entry points and programs lead to, with its types; tests' own modules are left out. */
function reachable(files: readonly ReleaseFile[], published: Json): ReleaseFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const isCode = (path: string) => /\.(js|d\.ts)$/.test(path);
  const found = new Set<string>();
  const visit = (path: string) => {
    const file = byPath.get(path);
    if (!file || found.has(path)) return;
    found.add(path);
    if (!isCode(path)) return;
    for (const [, target = ''] of file.content.toString('utf8').matchAll(/['"`](\.\.?\/[^'"`]+\.js)['"`]/g)) {
      const wanted = join(path, '..', target);
      visit(path.endsWith('.d.ts') ? wanted.replace(/\.js$/, '.d.ts') : wanted);
    }
  };
  for (const [, path = ''] of JSON.stringify([published.exports, published.bin]).matchAll(
    /"(?:\.\/)?([^"]+\.(?:js|ts))"/g,
  )) {
    visit(path);
  }
  return files.filter(({ path }) => !isCode(path) || found.has(path));
}

function isPublished(path: string): boolean {
  return !/\.map$|\.tsbuildinfo$|\.test\.(js|d\.ts)$|\/testdata\//.test(path);
}

/** Maps lead to sources that are not published. */
function withoutMap(path: string, content: Buffer): Buffer {
  if (!/\.(js|d\.ts)$/.test(path)) return content;
  return Buffer.from(content.toString('utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, ''));
}

function readJson(path: string): Json {
  return JSON.parse(readFileSync(path, 'utf8')) as Json;
}
