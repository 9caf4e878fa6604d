/** `slipway upgrade check` over a cluster of 5,000 nodes, of which each runs a kubelet and a kube-proxy that report 200 gates. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Kube } from '@slipway/kube';
import { startCluster } from './support/cluster.js';
import { quantile, report } from './support/report.js';
import { reportProcesses } from './support/reported-processes.js';

const nodes = Number(process.env.BENCH_NODES ?? 5_000);
const program = fileURLToPath(new URL('../../packages/cli/bin/slipway.js', import.meta.url));
const run = promisify(execFile);

const cluster = await startCluster('--ephemeral', '--nodes', '1', '--kubernetes', '1.34');
try {
  process.env.KUBECONFIG = cluster.kubeconfig;
  const kube = await Kube.connect({ qps: 1e6, burst: 1e6 });
  await reportProcesses(kube, nodes);
  const before = await listings(kube);
  const samples: number[] = [];
  for (let round = 0; round < 3; round++) {
    const startedAt = performance.now();
    await check();
    samples.push((performance.now() - startedAt) / 1_000);
  }
  const lists = ((await listings(kube)) - before) / samples.length;
  report('upgrade', [
    {
      what: `upgrade check, ${nodes} nodes, ${nodes * 2} processes`,
      unit: 's',
      better: 'less',
      value: quantile(samples, 0.5),
      anchor: { name: 'target', value: 20 },
    },
    {
      what: 'pages it listed',
      unit: '',
      better: 'less',
      value: lists,
      anchor: { name: 'target', value: 30 },
    },
  ]);
} finally {
  await cluster.stop();
}

/** The answer is no: gates were set that the target does not have. */
async function check(): Promise<void> {
  const args = ['upgrade', 'check', '--to', 'v1.35', '-o', 'json', '--kubeconfig', cluster.kubeconfig];
  const { stdout } = await run(program, args, { maxBuffer: 64e6 }).catch((error: { stdout: string }) => error);
  const { coverage } = JSON.parse(stdout) as { coverage: { processes: number } };
  if (coverage.processes < nodes * 2) throw new Error(`it saw ${coverage.processes} processes`);
}

/** Listings that the API server has answered. */
async function listings(kube: Kube): Promise<number> {
  const { body } = await kube.transport.request({ method: 'GET', path: '/metrics' });
  const lines = String(body).split('\n');
  const lists = lines.filter((line) => /^apiserver_request_total\{.*verb="LIST"/.test(line));
  return lists.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
