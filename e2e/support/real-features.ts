import { hostname } from 'node:os';
import { expect } from 'vitest';
import type { RealKubernetes } from './real-kubernetes.js';

/** Installs Slipway without its processes, with the rights for one gate. Resolves with the token of the feature server. */
export async function installFeatures(real: RealKubernetes, gate: string): Promise<string> {
  const installed = await real.slipway('install', '--no-processes', '--guards', '--only', 'features,node-agent');
  expect(installed, installed.stderr).toMatchObject({ code: 0 });
  const rights = await real.slipway('feature', 'rbac', gate, '--built-in', '-o', 'json');
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: hostname() } };
  for (const object of [JSON.parse(rights.stdout) as object, node]) {
    const applied = await real.kubectl(['apply', '-f', '-'], object);
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
  }
  const token = await real.kubectl(['-n', 'slipway-system', 'create', 'token', 'slipway-feature-server']);
  return token.stdout;
}

/**
 * An object with its `author`, as who writes it has to name it where the API server does not fill it in: before Kubernetes
 * 1.36. The author is the administrator, or another user.
 */
export async function withAuthor<T extends object>(
  real: RealKubernetes,
  object: T,
  user?: string,
): Promise<T & { readonly author: object }> {
  const as = user === undefined ? [] : ['--as', user];
  const { stdout } = await real.kubectl(['auth', 'whoami', '-o', 'json', ...as]);
  const { username, groups, uid } = JSON.parse(stdout).status.userInfo;
  return { ...object, author: { username, groups, ...(uid && { uid }) } };
}

/** Starts a node agent that reports the gates of the API server and of the controller manager. */
export async function startNodeAgent(real: RealKubernetes): Promise<void> {
  const onNode = ['--bound-object-kind', 'Node', '--bound-object-name', hostname()];
  const token = await real.kubectl(['-n', 'slipway-system', 'create', 'token', 'slipway-node-agent', ...onNode]);
  real.start(token.stdout, 'run', 'node-agent', '--node', hostname(), '--port', 'kube-controller-manager:10257');
}
