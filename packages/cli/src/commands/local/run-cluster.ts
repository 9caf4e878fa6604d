import { hostname } from 'node:os';
import { type Cluster, defaultDataDir, startCluster } from '@slipway/devcluster';
import { featureServer, findFeature, installFeatureCrds, maxUnavailableStatefulSet } from '@slipway/features';
import { Kube, sleep } from '@slipway/kube';
import type { Invocation } from '../../runtime/command.js';
import { exit, Interrupted } from '../../runtime/exit.js';
import type { UpOptions } from '../up.js';
import { markRunning } from './running-clusters.js';

/** A cluster is up without its features too; past this nobody waits for them. */
const announcedWithinMs = 2_000;

/** Runs a cluster with our controllers in this process until it is stopped, from here or by `slipway down`. */
export async function runCluster(options: UpOptions, { terminal, signal, answer }: Invocation): Promise<void> {
  const startedAt = performance.now();
  const cluster = await startCluster({
    name: options.name,
    dataDir: options.dataDir ?? defaultDataDir(options.name),
    ephemeral: options.ephemeral ?? false,
    nodes: options.nodes,
    nodeCapacity: { cpu: options.nodeCpu, memory: options.nodeMemory },
    port: options.port,
    componentGates: gatesByComponent(options.componentGates),
    writeKubeconfig: options.kubeconfig === undefined ? 'user' : { path: options.kubeconfig },
  });
  const unmark = markRunning({ dataDir: cluster.dataDir ?? '', url: cluster.url });
  const stop = () => void cluster.stop();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    // What is said to be there is there: nodes that kubectl can wait for, and the kinds of features.
    await Promise.race([Promise.all([cluster.ready(), startFeatures(cluster, signal)]), cluster.stopped]);
    if (!signal.aborted) {
      const took = Math.round(performance.now() - startedAt);
      const document = `${JSON.stringify(described(cluster, options, took))}\n`;
      terminal.out(options.format === 'json' ? document : greeting(cluster, options, took));
      for (const warning of cluster.warnings) terminal.err(`${warning}\n`);
    }
    await cluster.stopped;
  } finally {
    unmark();
    await cluster.stop();
  }
  if (signal.reason instanceof Interrupted && signal.reason.by === 'SIGINT') answer(exit.interrupted);
}

/** Our own part of the cluster: the kinds, the server flow, and the reports of the components. */
async function startFeatures(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const kube = new Kube(cluster.transport());
  const definition = maxUnavailableStatefulSet({ dynamic: 'Live' });
  const server = featureServer({ kube, identity: hostname(), definitions: [definition] });
  const stopping = new AbortController();
  cluster.beforeStop(async () => {
    stopping.abort();
    await server.stop?.();
  });
  try {
    await installFeatureCrds(kube, AbortSignal.any([signal, stopping.signal]));
    cluster.startReporting();
    await server.start(stopping.signal);
    await announced(kube, definition.object.spec.gate, stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted && !signal.aborted) throw error;
  }
}

/** Who reads that the cluster is up may ask for its features at once; they are announced a moment later. */
async function announced(kube: Kube, gate: string, signal: AbortSignal): Promise<void> {
  const patientUntilMs = kube.clock.monotonicMs() + announcedWithinMs;
  while (kube.clock.monotonicMs() < patientUntilMs) {
    if (await findFeature(kube, gate, undefined, signal)) return;
    await sleep(kube.clock, 10, signal);
  }
}

function gatesByComponent(all: UpOptions['componentGates']): Record<string, Record<string, boolean>> {
  const byComponent: Record<string, Record<string, boolean>> = {};
  for (const { component, gates } of all) byComponent[component] = { ...byComponent[component], ...gates };
  return byComponent;
}

function described({ name, url, dataDir, kubeconfigPath }: Cluster, options: UpOptions, startedInMs: number) {
  const { nodes, ephemeral = false } = options;
  return {
    name,
    url,
    kubeconfig: kubeconfigPath,
    context: `slipway-${name}`,
    nodes,
    dataDir,
    ephemeral,
    pid: process.pid,
    startedInMs,
  };
}

function greeting(
  { name, url, dataDir, kubeconfigPath }: Cluster,
  { nodes, ephemeral }: UpOptions,
  took: number,
): string {
  const rows: [string, string][] = [
    ['Server', url],
    ['Kubeconfig', `${kubeconfigPath ?? ''} (context slipway-${name})`],
    ['Nodes', `${nodes}, simulated`],
    ['Data', ephemeral ? 'in memory, forgotten at the end' : (dataDir ?? '')],
    ['Access', 'every authenticated user may do everything: there is no RBAC yet'],
  ];
  const lines = rows.map(([label, value]) => `  ${label.padEnd(12)}${value}\n`);
  const next = 'Try: kubectl get nodes,pods -A    and: npx slipway feature list\nCtrl-C stops it.\n';
  return `Cluster "${name}" is up after ${took} ms.\n${lines.join('')}${next}`;
}
