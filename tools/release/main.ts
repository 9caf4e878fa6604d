import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { type Arch, appFolder } from './app-folder.js';
import { bomOf, type Dependency, licenseList, lockedDependencies } from './dependencies.js';
import type { Files } from './deploy-folder.js';
import { writeExecutable } from './executable.js';
import { helmChart } from './helm-chart.js';
import { type ImageParts, imageArchive, imageName, rootLayers } from './image.js';
import { debianLibraries, type Libraries, machineLibraries } from './libraries.js';
import { authorStampManifest, installManifest, manifestFolders } from './manifests.js';
import { fetchPackage, hostArch, type NodeBinary, pinnedNode, runningNode } from './node-binary.js';
import { npmPackages } from './npm-packages.js';
import type { ReleaseFile } from './release-file.js';
import { gzip, packTar, unpackTar } from './tar.js';

const usage = `npm run release [-- --output FOLDER]
Writes what is published into FOLDER (release), which it empties first.
  --root-folder FOLDER   writes the root file system of the image there instead, with the Node that runs this
`;
const { output, rootFolder } = optionsOf(process.argv.slice(2));

const repository = process.cwd();
const cache = join(repository, 'node_modules/.release');
const { version } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8')) as { version: string };
const { homepage: source } = JSON.parse(readFileSync('package.json', 'utf8')) as { homepage: string };
const time = new Date(1000 * Number(process.env.SOURCE_DATE_EPOCH ?? gitOutput('log', '-1', '--format=%ct')));

if (rootFolder !== undefined) await writeRootFolder(rootFolder);
else await writeRelease(resolve(output));

function optionsOf(args: string[]): { output: string; rootFolder: string | undefined } {
  try {
    const options = { output: { type: 'string', default: 'release' }, 'root-folder': { type: 'string' } } as const;
    const { values } = parseArgs({ args, options });
    return { output: values.output, rootFolder: values['root-folder'] };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    process.exit(2);
  }
}

async function writeRelease(out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(join(out, 'npm'), { recursive: true });
  const write = (path: string, content: Buffer | string) => writeFileSync(join(out, path), content);

  const dependencies = lockedDependencies(repository);
  write('sbom.cdx.json', bomOf(version, dependencies, time));
  write('LICENSES.txt', licenseList(dependencies));
  for (const { fileName, tarball } of await npmPackages(repository, time)) write(`npm/${fileName}`, tarball);

  const runnable = await pinnedNode(hostArch, cache);
  const images: ImageParts[] = [];
  for (const arch of ['amd64', 'arm64'] as const) {
    const node = arch === hostArch ? runnable : await pinnedNode(arch, cache);
    const app = appFolder(repository, { folder: await nativeLmdb(arch), abi: node.abi });
    await writeExecutable(join(out, `slipway-${version}-linux-${arch}`), app, node.path, runnable.path);
    const libraries = await librariesFor(node);
    if (libraries) images.push(imageParts(node, libraries, app));
  }
  write(`slipway-${version}-image.tar`, await imageArchive(images, { name: imageName, version, source, time }));

  const image = `${imageName}:${version}`;
  write('install.yaml', installManifest(image));
  write('author-stamp.yaml', authorStampManifest());
  write(`slipway-${version}-chart.tgz`, await archiveOf(helmChart(version)));
  write(`slipway-${version}-manifests.tgz`, await archiveOf(manifestFolders(image)));

  const files = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(out, join(entry.parentPath, entry.name)))
    .sort();
  const sums = files.map((path) => `${sha256(readFileSync(join(out, path)))}  ${path}\n`);
  write('SHA256SUMS', sums.join(''));
  process.stdout.write(`${files.length + 1} files in ${relative(repository, out)}/, as of ${time.toISOString()}\n`);
}

async function archiveOf(files: Files): Promise<Buffer> {
  return gzip(
    await packTar(
      [...files].map(([path, text]) => ({ path, content: Buffer.from(text) })),
      time,
    ),
  );
}

/** The native part of LMDB for an architecture, as the lock file has it. */
async function nativeLmdb(arch: Arch): Promise<string> {
  const name = `@lmdb/lmdb-linux-${arch === 'amd64' ? 'x64' : 'arm64'}`;
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { version, integrity } = lock.packages[`node_modules/${name}`] as { version: string; integrity: string };
  const tarball = fetchPackage(name, version, integrity, cache);
  const folder = mkdtempSync(join(tmpdir(), 'slipway-lmdb-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  for (const { path, content } of await unpackTar(gunzipSync(tarball), () => true)) {
    writeFileSync(join(folder, path.replace('package/', '')), content);
  }
  return folder;
}

/** Undefined where they cannot be had; the image then lacks that architecture, and this says so. */
async function librariesFor({ arch, path }: NodeBinary): Promise<Libraries | undefined> {
  if (arch === hostArch) return machineLibraries(path);
  const folder = mkdtempSync(join(tmpdir(), 'slipway-libraries-'));
  try {
    return await debianLibraries(arch, folder);
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    process.stderr.write(`The image is not for linux/${arch}: its libraries cannot be had: ${why}\n`);
    process.stderr.write('To fix: make the release on Debian, with access to its packages\n');
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function imageParts(node: NodeBinary, libraries: Libraries, app: ReleaseFile[]): ImageParts {
  const inside = lockedDependencies(repository).filter(({ isOptional }) => !isOptional);
  const all = [...inside, ...platformOf(node, libraries)];
  const [sbom, licenses] = [bomOf(version, all, time), licenseList(all)];
  return { arch: node.arch, node: readFileSync(node.path), libraries, app, sbom, licenses };
}

/** Writes the root file system of the image, with the Node that runs this: what `Dockerfile` copies. */
async function writeRootFolder(folder: string): Promise<void> {
  const node = runningNode();
  const app = appFolder(repository, { folder: await nativeLmdb(node.arch), abi: node.abi });
  for (const { path, content, isExecutable } of rootLayers(imageParts(node, machineLibraries(node.path), app)).flat()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { mode: isExecutable ? 0o755 : 0o644 });
  }
  mkdirSync(join(folder, 'tmp'), { recursive: true });
  chmodSync(join(folder, 'tmp'), 0o1777);
  mkdirSync(join(folder, 'home/slipway'), { recursive: true });
}

function platformOf({ version, license }: NodeBinary, { packages }: Libraries): Dependency[] {
  const node = { name: 'node', version, license: 'MIT', purl: `pkg:generic/node@${version}`, licenseText: license };
  const debian = packages.map(({ name, version, copyright }) => ({
    name,
    version,
    license: name === 'libc6' ? 'LGPL-2.1-or-later' : 'GPL-3.0-or-later WITH GCC-exception-3.1',
    purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}`,
    licenseText: copyright,
  }));
  return [node, ...debian].map((one) => ({ ...one, isOptional: false }));
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function gitOutput(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}
