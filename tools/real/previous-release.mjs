// @ts-check
/**
 * The release before this tree, built from its commit into node_modules/.real.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execPath, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';

/** Its commit. Nothing is released yet: an earlier state, with fewer kinds and other rights, stands in for it. */
const commit = 'b513cbad1b14115fc5c9d6e8be91854c8f022aa9';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds it where it was not built before, and returns its folder. Returns undefined where that is not possible, as in a
 * shallow clone, which lacks the commit; what is wrong is on stderr then.
 */
export function previousRelease() {
  const target = join(root, `node_modules/.real/slipway-${commit}`);
  if (existsSync(target)) return target;
  stderr.write(`building the release before this tree, commit ${commit}\n`);
  // A compiler takes what lies in a folder node_modules for a dependency.
  const folder = mkdtempSync(join(tmpdir(), 'slipway-previous-'));
  try {
    if (!build(folder)) return undefined;
    const half = `${target}.half`;
    rmSync(half, { recursive: true, force: true });
    mkdirSync(dirname(target), { recursive: true });
    cpSync(folder, half, { recursive: true, verbatimSymlinks: true });
    renameSync(half, target);
    return target;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} folder */
function build(folder) {
  const steps = [
    ['sh', '-c', 'git -C "$0" archive "$1" | tar -x', root, commit],
    [execPath, 'tools/build.mjs'],
  ];
  return steps.every(([program = '', ...words]) => {
    const { status } = spawnSync(program, words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    return status === 0;
  });
}
