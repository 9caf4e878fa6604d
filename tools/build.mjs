// @ts-check
/**
 * Builds all packages, after installing what they depend on. Leaves a stamp dated to the start of the build, so that
 * `./slipway` builds again when a source changes meanwhile. Builds that run at once take turns.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import './ready.mjs';
import { removeStaleOutputs } from './remove-stale-outputs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}node_modules/.built`;
const lock = `${root}node_modules/.building`;

takeTurn();
try {
  const startedAt = new Date();
  const compiler = `${root}node_modules/typescript/bin/tsc`;
  const { status } = spawnSync(process.execPath, [compiler, '-b'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status === 0) {
    /** @type {{references: {path: string}[]}} */
    const { references } = JSON.parse(readFileSync(`${root}tsconfig.json`, 'utf8'));
    for (const { path } of references) removeStaleOutputs(`${root}${path}`);
    const { bundlePages } = await import('./bundle-pages.mjs');
    await bundlePages(root);
    const { bundleDaemon } = await import('./bundle-daemon.mjs');
    await bundleDaemon(root);
    const { bundleCommand } = await import('./bundle-command.mjs');
    await bundleCommand(root);
    writeFileSync(stamp, '');
    utimesSync(stamp, startedAt, startedAt);
  }
  process.exitCode = status ?? 5;
} finally {
  rmSync(lock, { force: true });
}

/** Waits until no other process builds. A lock whose process has ended does not count. */
function takeTurn() {
  for (;;) {
    try {
      const file = openSync(lock, 'wx');
      writeSync(file, String(process.pid));
      closeSync(file);
      return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    if (!isRunning(holder())) rmSync(lock, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
}

function holder() {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return 0;
  }
}

/** @param {number} pid zero while the holder has not written its id yet, which it does at once */
function isRunning(pid) {
  try {
    return pid === 0 || process.kill(pid, 0);
  } catch {
    return false;
  }
}
