/** What a feature server in a process of its own takes to keep count of 10,000 processes, and how long until it has. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Feature, kubernetesNamespace } from '@slipway/features';
import { Kube } from '@slipway/kube';
import { cpuMicros, end, residentMegabytes, startCluster } from './support/cluster.js';
import { report } from './support/report.js';
import { reportProcesses } from './support/reported-processes.js';

const nodes = Number(process.env.BENCH_NODES ?? 5_000);
const restMs = 20_000;
const program = fileURLToPath(new URL('../../packages/cli/bin/slipway.js', import.meta.url));

const cluster = await startCluster('--ephemeral', '--nodes', '1', '--feature-servers', '0');
try {
  process.env.KUBECONFIG = cluster.kubeconfig;
  const kube = await Kube.connect({ qps: 1e6, burst: 1e6 });
  await reportProcesses(kube, nodes);
  const startedAt = performance.now();
  const server = spawn(program, ['run', 'feature-server', '--kubeconfig', cluster.kubeconfig], { stdio: 'ignore' });
  const pid = server.pid ?? 0;
  await untilCounted(kube);
  const countedMs = performance.now() - startedAt;
  await new Promise((resolve) => setTimeout(resolve, restMs));
  const before = cpuMicros(pid);
  await new Promise((resolve) => setTimeout(resolve, restMs));
  const share = ((cpuMicros(pid) - before) / (restMs * 1_000)) * 100;
  report('feature-server', [
    {
      what: `resident memory with ${nodes * 2} processes that report 200 gates`,
      unit: 'MB',
      better: 'less',
      value: residentMegabytes(pid),
      anchor: { name: 'target', value: 250 },
    },
    { what: 'from its start until all of them are counted', unit: 's', better: 'less', value: countedMs / 1_000 },
    { what: 'at rest, of one processor', unit: '%', better: 'less', value: share },
  ]);
  await end(server);
} finally {
  await cluster.stop();
}

async function untilCounted(kube: Kube): Promise<void> {
  const giveUpAt = performance.now() + 120_000;
  while (performance.now() < giveUpAt) {
    const { items } = await kube.resource(Feature).list({ namespace: kubernetesNamespace });
    const counted = items.filter(({ status }) => (status?.uses?.reporting ?? 0) >= nodes);
    if (counted.length >= 150) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error('the server has not counted all processes within two minutes');
}
