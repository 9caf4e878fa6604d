import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Outcome } from './slipway.js';

/** A cluster, as far as a sign-in to it can be made. */
interface Reachable {
  readonly kubeconfig: string;
  kubectl(words: readonly string[]): Promise<Outcome>;
}

/** Path of a kubeconfig with the token of a ServiceAccount, and nothing else of whoever made the cluster. */
export async function kubeconfigOf(cluster: Reachable, namespace: string, name: string): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(['create', 'token', name, '-n', namespace]);
  if (code !== 0) throw new Error(stderr);
  const config = parse(readFileSync(cluster.kubeconfig, 'utf8'));
  config.users = config.users.map((user: { name: string }) => ({ name: user.name, user: { token: stdout.trim() } }));
  const path = join(dirname(cluster.kubeconfig), `kubeconfig.${namespace}.${name}`);
  writeFileSync(path, stringify(config), { mode: 0o600 });
  return path;
}
