import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ReleaseFile } from './release-file.js';
import { sortFiles } from './release-file.js';
import { unpackTar } from './tar.js';

/** The shared libraries of a Node binary, with the loader, where the loader looks for them. */
export interface Libraries {
  readonly files: readonly ReleaseFile[];
  readonly packages: readonly DebianPackage[];
}

/** A Debian package that files were taken from. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** Its copyright file; empty where the machine does not have it. */
  readonly copyright: string;
}

/** Lists the libraries that `ldd` names for a program of this machine. */
export function machineLibraries(program: string): Libraries {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  const paths = [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  const files = paths.map((path) => ({ path: path.slice(1), content: readFileSync(path), isExecutable: true }));
  const names = new Set(paths.map((path) => ownerOf(realpathSync(path))).filter((name) => name !== undefined));
  return { files: sortFiles(files), packages: [...names].sort().map(installedPackage) };
}

/** The libraries that Node needs, for another architecture, from the packages of Debian. */
export async function debianLibraries(arch: 'arm64' | 'amd64', folder: string): Promise<Libraries> {
  const apt = [`APT::Architecture=${arch}`, `APT::Architectures::=${arch}`, 'APT::Sandbox::User=root'];
  apt.push(`Dir::State=${folder}/state`, `Dir::State::status=${folder}/status`, `Dir::Cache=${folder}/cache`);
  mkdirSync(join(folder, 'state/lists/partial'), { recursive: true });
  mkdirSync(join(folder, 'cache/archives/partial'), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  const run = (...words: string[]) => {
    const options = apt.flatMap((option) => ['-o', option]);
    execFileSync('apt-get', ['-qq', ...options, ...words], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  run('update');
  run('download', 'libc6', 'libgcc-s1', 'libstdc++6');
  const libraries = /\/(ld-linux[^/]*|lib(c|dl|m|pthread|gcc_s)\.so\.\d+|libstdc\+\+\.so\.6)$/;
  const files: ReleaseFile[] = [];
  const packages: DebianPackage[] = [];
  for (const archive of readdirSync(folder)
    .filter((name) => name.endsWith('.deb'))
    .sort()) {
    const path = join(folder, archive);
    const field = (name: string) => execFileSync('dpkg-deb', ['-f', path, name], { encoding: 'utf8' }).trim();
    const tar = execFileSync('dpkg-deb', ['--fsys-tarfile', path], { maxBuffer: 256 * 1024 * 1024 });
    const found = await unpackTar(tar, (entry) => libraries.test(entry) || entry.endsWith('/copyright'));
    const isCopyright = (file: ReleaseFile) => basename(file.path) === 'copyright';
    files.push(...found.filter((file) => !isCopyright(file)).map((file) => ({ ...file, isExecutable: true })));
    const copyright = found.find(isCopyright)?.content.toString() ?? '';
    packages.push({ name: field('Package'), version: field('Version'), copyright });
  }
  return { files: sortFiles(files), packages };
}

/** The Debian package of a file. Where /lib is a link to /usr/lib, the package may know either path. */
function ownerOf(path: string): string | undefined {
  for (const known of [path, path.replace(/^\/usr/, '')]) {
    try {
      const line = execFileSync('dpkg', ['-S', known], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      return line.split(':')[0];
    } catch {
      // Not under this path, or no Debian.
    }
  }
  return undefined;
}

function installedPackage(name: string): DebianPackage {
  const status = execFileSync('dpkg-query', ['-s', name], { encoding: 'utf8' });
  const version = /^Version: (.*)$/m.exec(status)?.[1] ?? '';
  let copyright = '';
  try {
    copyright = readFileSync(`/usr/share/doc/${name}/copyright`, 'utf8');
  } catch {
    // Small systems leave out what is in /usr/share/doc.
  }
  return { name, version, copyright };
}
