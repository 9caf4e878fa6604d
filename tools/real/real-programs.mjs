// @ts-check
/**
 * Kubernetes' own programs and etcd, built from their Go modules into node_modules/.real, once for each version.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, exit, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';

const kubernetes = { module: 'k8s.io/kubernetes', version: '1.37.2' };
const etcd = { module: 'go.etcd.io/etcd/server/v3', version: '3.6.16' };
const [major, minor] = kubernetes.version.split('.');
const versionPackage = 'k8s.io/component-base/version';
const versionFlags = [
  `-X ${versionPackage}.gitVersion=v${kubernetes.version}`,
  `-X ${versionPackage}.gitMajor=${major}`,
  `-X ${versionPackage}.gitMinor=${minor}`,
].join(' ');

const ofKubernetes = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'];
/**
 * By name of the program: the module that it is built in, and its package.
 * @type {Record<string, { of: typeof kubernetes, from: string, flags: string, isTest?: true }>}
 */
const programs = {
  ...Object.fromEntries(
    ofKubernetes.map((name) => [
      name,
      { of: kubernetes, from: `${kubernetes.module}/cmd/${name}`, flags: versionFlags },
    ]),
  ),
  'e2e.test': { of: kubernetes, from: `${kubernetes.module}/test/e2e`, flags: versionFlags, isTest: true },
  etcd: { of: etcd, from: etcd.module, flags: '' },
};

const root = fileURLToPath(new URL('../..', import.meta.url));
const target = join(root, 'node_modules/.real', `kubernetes-${kubernetes.version}-etcd-${etcd.version}`);

export const kubernetesVersion = kubernetes.version;
/** What a control plane and a node consist of. */
export const clusterPrograms = [...ofKubernetes, 'etcd'];

/**
 * Builds the programs that were not built before, and returns the folder that has them. Ends this process with 3 where
 * there is no Go.
 * @param {readonly string[]} names
 */
export function realPrograms(names) {
  const missing = names.filter((name) => !existsSync(join(target, name)));
  if (missing.length > 0) {
    if (spawnSync('go', ['version']).status !== 0) {
      refuse('Kubernetes is built from source, and there is no Go', 'install Go 1.26 or later');
    }
    build(missing);
  }
  return target;
}

/** @param {readonly string[]} missing */
function build(missing) {
  const work = join(root, 'node_modules/.real/.work');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const name of missing) {
    const { of, from, flags, isTest } =
      programs[name] ?? refuse(`${name} is not a program of Kubernetes`, 'see its name');
    stderr.write(`building ${name} ${of.version}; the first time takes minutes\n`);
    const folder = join(work, of.module);
    if (!existsSync(folder)) writeModule(folder, of);
    const verb = isTest ? ['test', '-c'] : ['build'];
    go(folder, ...verb, '-ldflags', `-s -w ${flags}`, '-o', `${folder}/built`, from);
    // Not built in place, so that one that was interrupted is not taken for whole.
    renameSync(`${folder}/built`, join(target, name));
  }
  rmSync(work, { recursive: true });
}

/**
 * A module of ours that requires another. In the sources some modules are replaced by folders, which only the main
 * module of a build may do: those of Kubernetes (`staging/`) are published as 0.MINOR of the same release.
 * @param {string} folder
 * @param {{ module: string, version: string }} of
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
