// @ts-check
/**
 * Builds programs from published Go modules, with the module proxy that the machine has set.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { env, exit, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';

/** @typedef {{ module: string, version: string }} Module */
/**
 * @typedef {{ Go: string, Require?: { Path: string, Version: string }[],
 *   Replace?: { Old: { Path: string }, New: { Path: string, Version?: string } }[] }} GoModule
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Where programs that were built are kept. */
export const builtFolder = join(root, 'node_modules/.real');
const workFolder = join(builtFolder, '.work');

/** Ends this process with 3 where there is no Go. */
export function requireGo() {
  if (spawnSync('go', ['version']).status !== 0) {
    refuse('they are built from source, and there is no Go', 'install Go 1.26 or later');
  }
}

/** Removes what `build` left behind. */
export function removeWork() {
  rmSync(workFolder, { recursive: true, force: true });
}

/**
 * Builds a package of a module, or Go files of ours that import it, at `target`.
 * @param {Module} of
 * @param {string} target path of the program
 * @param {{ package: string } | { files: ReadonlyMap<string, string> }} what files by their names
 * @param {{ verb?: readonly string[], linked?: readonly string[] }} [options] Default verb: `build`
 */
export function build(of, target, what, { verb = ['build'], linked = [] } = {}) {
  const folder = join(workFolder, `${of.module}@${of.version}`);
  writeModule(folder, of);
  if ('files' in what) for (const [name, text] of what.files) writeFileSync(join(folder, name), text);
  const flags = ['-s', '-w', ...linked].join(' ');
  go(folder, ...verb, '-ldflags', flags, '-o', `${folder}/built`, 'package' in what ? what.package : '.');
  mkdirSync(dirname(target), { recursive: true });
  // Not built in place, so that one that was interrupted is not taken for whole.
  renameSync(`${folder}/built`, target);
}

/**
 * Downloads a module, and returns the folder of its sources and the path of its `go.mod`.
 * @param {Module} of
 * @returns {{ Dir: string, GoMod: string }}
 */
export function download({ module, version }) {
  mkdirSync(workFolder, { recursive: true });
  writeFileSync(join(workFolder, 'go.mod'), 'module real\n');
  return JSON.parse(go(workFolder, 'mod', 'download', '-json', `${module}@v${version}`));
}

/**
 * A module of ours that requires another. In the sources some modules are replaced, which only the main module of a
 * build may do.
 * @param {string} folder
 * @param {Module} of
 */
function writeModule(folder, of) {
  const { Dir, GoMod } = download(of);
  mkdirSync(folder, { recursive: true });
  const sums = join(Dir, 'go.sum');
  // With the sums that it was released with, no other server has to know them.
  if (existsSync(sums)) writeFileSync(join(folder, 'go.sum'), readFileSync(sums));
  writeFileSync(join(folder, 'go.mod'), 'module real\n');
  /** @type {GoModule} */
  const upstream = JSON.parse(go(folder, 'mod', 'edit', '-json', GoMod));
  const edits = (upstream.Replace ?? []).flatMap(({ Old, New }) => {
    if (New.Version !== undefined) return [`-replace=${Old.Path}=${New.Path}@${New.Version}`];
    const version = publishedVersion(of, New.Path, versionOf(upstream, Old.Path));
    return version === undefined ? [] : [`-replace=${Old.Path}=${Old.Path}@v${version}`];
  });
  go(folder, 'mod', 'edit', `-go=${upstream.Go}`, `-require=${of.module}@v${of.version}`, ...edits);
}

/**
 * Returns the version in which a module of a folder of the sources is published, where that is not the required one:
 * those of Kubernetes (`staging/`) as 0.MINOR of the same release, others without a version as the release.
 * @param {Module} of
 * @param {string} folder
 * @param {string | undefined} required
 */
function publishedVersion({ version }, folder, required) {
  if (folder.startsWith('./staging/')) return `0.${version.slice(version.indexOf('.') + 1)}`;
  return required === 'v0.0.0-00010101000000-000000000000' ? version : undefined;
}

/**
 * @param {GoModule} module
 * @param {string} path
 */
function versionOf({ Require = [] }, path) {
  return Require.find(({ Path }) => Path === path)?.Version;
}

/**
 * Runs Go; what it says on the way is shown.
 * @param {string} folder
 * @param {string[]} words
 */
function go(folder, ...words) {
  const GOFLAGS = `-mod=mod ${env.GOFLAGS ?? ''}`.trim();
  const { status, stdout } = spawnSync('go', words, {
    cwd: folder,
    env: { ...env, CGO_ENABLED: '0', GOFLAGS, GOWORK: 'off' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) refuse(`go ${words.slice(0, 2).join(' ')} did not succeed`, 'see what it says above');
  return stdout;
}

/**
 * Ends this process with 3: there is nothing to run on.
 * @param {string} what
 * @param {string} wayOut
 * @returns {never}
 */
export function refuse(what, wayOut) {
  stderr.write(`skipped what needs real programs: ${what}. To run: ${wayOut}\n`);
  exit(3);
}
