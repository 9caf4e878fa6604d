// @ts-check
/**
 * Kubernetes' own programs and etcd, built from their Go modules into node_modules/.real, once for each version.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stderr } from 'node:process';
import { build, builtFolder, removeWork, requireGo } from './go-modules.mjs';

/** @typedef {import('./go-modules.mjs').Module} Module */

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

/**
 * Builds the programs that were not built before, and returns the folder that has them. Ends this process with 3 where
 * there is no Go.
 * @param {readonly string[]} names of Kubernetes' `cmd`, `e2e.test`, `etcd`, and those of containerd
 * @param {string} version of Kubernetes
 */
export function realPrograms(names, version = newest) {
  const target = join(builtFolder, `kubernetes-${version}-etcd-${etcd.version}-containerd-${containerd.version}`);
  const missing = names.filter((name) => !existsSync(join(target, name)));
  if (missing.length === 0) return target;
  requireGo();
  removeWork();
  for (const name of missing) {
    const of = moduleOf(name, version);
    stderr.write(`building ${name} ${of.version}; the first time takes minutes\n`);
    build(of, join(target, name), { package: packageOf(name, of) }, buildOptions(name, of));
  }
  removeWork();
  return target;
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
function buildOptions(name, { module, version }) {
  const [major, minor] = version.split('.');
  const said = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor };
  const linked = Object.entries(said).map(([key, value]) => `-X k8s.io/component-base/version.${key}=${value}`);
  return {
    verb: name === 'e2e.test' ? ['test', '-c'] : ['build'],
    linked: module === 'k8s.io/kubernetes' ? linked : [],
  };
}
