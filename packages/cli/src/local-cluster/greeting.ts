import type { Cluster } from '@slipway/devcluster';
import { defaultName } from './cluster-flags.js';
import type { UpOptions } from './up-options.js';

/** What `slipway up -o json` prints: one object on one line. */
export type StartedCluster = ReturnType<typeof started> & {
  /** File that a cluster in the background logs to. */
  readonly log?: string;
};

export function started(cluster: Cluster, options: UpOptions & { readonly console?: string }, startedInMs: number) {
  const { name, url, dataDir, kubeconfigPath, servers, componentPages } = cluster;
  const { kubernetes, nodes, ephemeral = false, timeScale } = options;
  return {
    name,
    url,
    kubeconfig: kubeconfigPath,
    context: contextOf(name),
    servers: servers.map(({ number, url, version, identity }) => ({ number, url, version, identity })),
    ...(options.console !== undefined && { console: options.console }),
    ...(componentPages.length > 0 && { componentPages }),
    kubernetes,
    nodes,
    dataDir,
    ephemeral,
    timeScale,
    pid: process.pid,
    startedInMs,
  };
}

/** Returns what `slipway up` prints when the cluster has started. */
export function greeting(cluster: StartedCluster): string {
  const {
    name,
    url,
    dataDir,
    kubernetes,
    kubeconfig,
    context,
    nodes,
    ephemeral,
    timeScale,
    startedInMs,
    log,
    console,
  } = cluster;
  const rows: [string, string][] = [
    ['Kubernetes', kubernetes],
    ['Server', url],
    ...serverRows(cluster),
    ['Kubeconfig', `${kubeconfig ?? ''} (context ${context})`],
    ...(console === undefined ? [] : [['Console', console] satisfies [string, string]]),
    ['Nodes', `${nodes}, simulated`],
    ['Data', ephemeral ? 'in memory, forgotten at the end' : (dataDir ?? '')],
    ...(timeScale === 1 ? [] : [['Time', `${timeScale} times as fast`] satisfies [string, string]]),
    ...(log === undefined ? [] : [['Log', log] satisfies [string, string]]),
  ];
  const lines = rows.map(([label, value]) => `  ${label.padEnd(12)}${value}\n`);
  const stop = log === undefined ? 'Ctrl-C' : `slipway down${name === defaultName ? '' : ` --name ${name}`}`;
  const next = `Try: kubectl get nodes,pods -A    and: slipway feature list\n${stop} stops it.\n`;
  return `Cluster "${name}" is up after ${startedInMs} ms.\n${lines.join('')}${next}`;
}

function serverRows({ name, servers }: StartedCluster): [string, string][] {
  if (servers.length === 1) return [];
  return servers.map(({ number, url, version }) => [
    `  server ${number}`,
    `${url}, version ${version} (context ${contextOf(name)}-server-${number})`,
  ]);
}

function contextOf(name: string): string {
  return `slipway-${name}`;
}
