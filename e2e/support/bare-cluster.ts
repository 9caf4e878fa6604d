import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, type ClusterOptions, startCluster } from '@slipway/devcluster';
import { toYaml } from '@slipway/safe-yaml';
import { kubectlHeap } from '../../tools/heap-flags.js';
import { findKubectl } from '../../tools/real-parts.js';
import { type SlipwayProcess, startCommand } from './running-command.js';
import { freeGates, type Outcome, run, slipway } from './slipway.js';

/** A cluster of Kubernetes and nothing of ours: its components serve pages, and no agent reports them. */
export interface BareCluster extends AsyncDisposable {
  readonly cluster: Cluster;
  /** Of its administrator. */
  readonly kubeconfig: string;
  /** Writes one with which a user signs in that the cluster was started with. */
  kubeconfigOf(token: string): string;
  slipway(...words: string[]): Promise<Outcome>;
  kubectl(words: readonly string[], stdin?: string): Promise<Outcome>;
  /** A folder that goes with the cluster. */
  readonly folder: string;
  /** `slipway WORDS` for as long as the cluster is there, once it has said its first word. */
  start(...words: string[]): Promise<SlipwayProcess>;
  /** `slipway run WORDS` as the user of a token. */
  run(token: string, ...words: string[]): Promise<SlipwayProcess>;
}

export async function bareCluster(
  options: Pick<ClusterOptions, 'nodes' | 'servers' | 'componentGates' | 'version'> = {},
): Promise<BareCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bare-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const cluster = await startCluster({
    version: freeGates,
    ...options,
    componentPages: true,
    tokens: accounts,
    writeKubeconfig: { path: kubeconfig },
  });
  await cluster.ready();
  const running: SlipwayProcess[] = [];
  const env = { KUBECONFIG: kubeconfig };
  const kubeconfigOf = (token: string) => {
    const path = join(folder, `${token}.kubeconfig`);
    writeFileSync(path, toYaml(singleUser(cluster.kubeconfig, token)));
    return path;
  };
  const start = async (...words: string[]) => {
    const started = await startCommand(...words);
    running.push(started);
    return started;
  };
  return {
    cluster,
    folder,
    kubeconfig,
    kubeconfigOf,
    slipway: (...words) => slipway(words, { env }),
    kubectl: (words, stdin) =>
      run(findKubectl() ?? '', words, { env: { ...kubectlHeap, ...env }, ...(stdin !== undefined && { stdin }) }),
    start,
    run: (token, ...words) => start('run', ...words, '--kubeconfig', kubeconfigOf(token)),
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((one) => one[Symbol.asyncDispose]()));
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const ofAccount = (name: string, node?: string) => ({
  name: `system:serviceaccount:slipway-system:${name}`,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:slipway-system', 'system:authenticated'],
  ...(node !== undefined && { extra: { 'authentication.kubernetes.io/node-name': [node] } }),
});

/** Tokens, and whom they stand for: what a pod of ours would be given. */
const accounts = {
  server: ofAccount('slipway-feature-server'),
  'agent-n1': ofAccount('slipway-node-agent', 'n1'),
  'agent-n2': ofAccount('slipway-node-agent', 'n2'),
  'agent-host': ofAccount('slipway-node-agent', hostname()),
  balloons: ofAccount('slipway-balloons'),
  viewer: { name: 'vera', groups: ['system:authenticated'] },
};

/** The cluster of a kubeconfig, reached with a token and nothing else. */
function singleUser(text: string, token: string) {
  const authority = /certificate-authority-data: (\S+)/.exec(text)?.[1];
  const server = /server: (\S+)/.exec(text)?.[1];
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    clusters: [{ name: 'it', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'it', user: { token } }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
  };
}
