// @ts-check
/**
 * Kubernetes' own programs and etcd, built from their Go modules into node_modules/.real, once for each version.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, exit, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';

/** @typedef {{ module: string, version: string }} Module */

/** The newest three minors, newest first. */
export const kubernetesVersions = ['1.37.2', '1.36.3', '1.35.4'];
const [newest = ''] = kubernetesVersions;
/** @type {Module} */
const etcd = { module: 'go.etcd.io/etcd/server/v3', version: '3.6.16' };
/** @type {Module} */
const containerd = { module: 'github.com/containerd/containerd/v2', version: '2.2.9' };
const ofContainerd = ['containerd', 'containerd-shim-runc-v2'];

/** What a control plane consists of. */
export const controlPlanePrograms = ['kube-apiserver', 'kube-controller-manager', 'etcd'];
/** What a control plane and a node consist of. */
export const clusterPrograms = [...controlPlanePrograms, 'kube-scheduler', 'kubelet', ...ofContainerd];

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds the programs that were not built before, and returns the folder that has them. Ends this process with 3 where
 * there is no Go.
 * @param {readonly string[]} names of Kubernetes' `cmd`, `e2e.test`, `etcd`, and those of containerd
 * @param {string} version of Kubernetes
 */
export function realPrograms(names, version = newest) {
  const target = join(
    root,
    'node_modules/.real',
    `kubernetes-${version}-etcd-${etcd.version}-containerd-${containerd.version}`,
  );
  const missing = names.filter((name) => !existsSync(join(target, name)));
  if (missing.length > 0) {
    if (spawnSync('go', ['version']).status !== 0) {
      refuse('Kubernetes is built from source, and there is no Go', 'install Go 1.26 or later');
    }
    build(missing, version, target);
  }
  return target;
}

/**
 * @param {readonly string[]} missing
 * @param {string} version
 * @param {string} target
 */
function build(missing, version, target) {
  const work = join(root, 'node_modules/.real/.work');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const name of missing) {
    const of = moduleOf(name, version);
    stderr.write(`building ${name} ${of.version}; the first time takes minutes\n`);
    const folder = join(work, of.module);
    if (!existsSync(folder)) writeModule(folder, of);
    go(folder, ...buildWords(name, of), '-o', `${folder}/built`, packageOf(name, of));
    // Not built in place, so that one that was interrupted is not taken for whole.
    renameSync(`${folder}/built`, join(target, name));
  }
  rmSync(work, { recursive: true });
}

/**
 * @param {string} name
 * @param {string} version of Kubernetes
 */
function moduleOf(name, version) {
  if (ofContainerd.includes(name)) return containerd;
  return name === 'etcd' ? etcd : { module: 'k8s.io/kubernetes', version };
}

/**
 * @param {string} name
 * @param {Module} of
 */
function packageOf(name, { module }) {
  if (name === 'etcd') return module;
  return name === 'e2e.test' ? `${module}/test/e2e` : `${module}/cmd/${name}`;
}

/**
 * Programs of Kubernetes say the version that is linked into them.
 * @param {string} name
 * @param {Module} of
 */
function buildWords(name, { module, version }) {
  const verb = name === 'e2e.test' ? ['test', '-c'] : ['build'];
  const [major, minor] = version.split('.');
  const said = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor };
  const flags = Object.entries(said).map(([key, value]) => `-X k8s.io/component-base/version.${key}=${value}`);
  return [...verb, '-ldflags', ['-s', '-w', ...(module === 'k8s.io/kubernetes' ? flags : [])].join(' ')];
}

/**
 * A module of ours that requires another. In the sources some modules are replaced by folders, which only the main
 * module of a build may do: those of Kubernetes (`staging/`) are published as 0.MINOR of the same release.
 * @param {string} folder
 * @param {Module} of
 */
function writeModule(folder, of) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'go.mod'), 'module real\n');
  const { GoMod } = JSON.parse(go(folder, 'mod', 'download', '-json', `${of.module}@v${of.version}`));
  const upstream = JSON.parse(go(folder, 'mod', 'edit', '-json', GoMod));
  /** @type {{ Old: { Path: string }, New: { Path: string } }[]} */
  const replaced = upstream.Replace ?? [];
  const published = `v0.${of.version.slice(of.version.indexOf('.') + 1)}`;
  const edits = replaced
    .filter(({ New }) => New.Path.startsWith('./staging/'))
    .map(({ Old }) => `-replace=${Old.Path}=${Old.Path}@${published}`);
  go(folder, 'mod', 'edit', `-go=${upstream.Go}`, `-require=${of.module}@v${of.version}`, ...edits);
}

/**
 * Runs Go with the module proxy that the machine has set; what it says on the way is shown.
 * @param {string} folder
 * @param {string[]} words
 */
function go(folder, ...words) {
  const settings = { ...env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod', GOWORK: 'off' };
  const { status, stdout } = spawnSync('go', words, {
    cwd: folder,
    env: settings,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
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
  stderr.write(`skipped what needs programs of Kubernetes: ${what}. To run: ${wayOut}\n`);
  exit(3);
}
