// @ts-check
/**
 * Makes a checkout ready to build: installs the dependencies when the lock file
 * is not the one they were installed from. JavaScript, because it runs before
 * there is a TypeScript compiler.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lockFile = `${root}package-lock.json`;
const installedFrom = `${root}node_modules/.installed-from-lock`;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `Slipway needs Node 20.19 or later; this is ${process.versions.node}.\nTo fix: install a newer Node\n`,
  );
  process.exit(2);
}

const lock = readFileSync(lockFile, 'utf8');
if (!existsSync(installedFrom) || readFileSync(installedFrom, 'utf8') !== lock) {
  process.stderr.write('Installing dependencies...\n');
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    // stdout is left to the command that follows, which a script may be reading.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) process.exit(npm.status ?? 5);
  writeFileSync(installedFrom, lock);
}
