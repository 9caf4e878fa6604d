import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startCluster } from '@slipway/devcluster';
import { silentLog } from '@slipway/kube';
import { compareCluster } from './compare-cluster.js';
import type { Finding } from './play-scenario.js';
import { comparedBy, type ParityReport, renderReport } from './report.js';
import { ScenarioError } from './scenario.js';

const help = `Plays the conformance scenarios against a cluster and says of each behaviour whether it is that of Kubernetes.

  npm run conformance                                              a devcluster of its own
  npm run conformance -- --target kubeconfig > real.json -o json   the cluster of KUBECONFIG
  npm run conformance -- --compared real.json                      held against that run
  npm run conformance -- M16 pagination --kubectl ./kubectl-1.30 --kubectl ./kubectl-1.33 -o wide

Names choose rows or scenarios. --target devcluster (default) or kubeconfig; --kubectl may be repeated, the one in PATH
when absent; --image is one that nodes of the target can pull; -o table, wide or json.
Exit codes: 0 nothing differs, 1 something differs, 2 wrong usage, 4 no cluster answers.
`;

const format = ['table', 'wide', 'json'];

class UsageError extends Error {
  override readonly name = 'UsageError';
}

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  try {
    return await compare(readFlags(argv));
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const isUsage = error instanceof UsageError || error instanceof ScenarioError || code?.startsWith('ERR_PARSE_ARGS');
    process.stderr.write(`conformance: ${message}\n`);
    process.stderr.write(`To fix: ${isUsage ? 'npm run conformance -- --help' : 'kubectl version'}\n`);
    return isUsage ? 2 : 4;
  }
}

function readFlags(argv: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      target: { type: 'string', default: 'devcluster' },
      kubectl: { type: 'string', multiple: true, default: ['kubectl'] },
      image: { type: 'string', default: 'registry.example/app:1' },
      compared: { type: 'string' },
      output: { type: 'string', short: 'o', default: 'table' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (!format.includes(values.output)) throw new UsageError(`-o ${values.output} is none of ${format.join(', ')}`);
  if (!['devcluster', 'kubeconfig'].includes(values.target)) {
    throw new UsageError(`--target ${values.target} is neither devcluster nor kubeconfig`);
  }
  return { ...values, only: positionals };
}

async function compare(flags: ReturnType<typeof readFlags>): Promise<number> {
  if (flags.help) {
    process.stdout.write(help);
    return 0;
  }
  const compared = flags.compared === undefined ? undefined : comparedBy(readReport(flags.compared));
  await using target = await openTarget(flags.target);
  const report = await compareCluster({
    folder: fileURLToPath(new URL('../', import.meta.url)),
    kubeconfig: target.kubeconfig,
    kubectls: flags.kubectl,
    only: flags.only,
    image: flags.image,
    ...(compared ? { compared } : {}),
    ...(process.stderr.isTTY ? { progress: tellProgress } : {}),
  });
  const { output } = flags;
  process.stdout.write(
    output === 'json' ? `${JSON.stringify(report, null, 2)}\n` : renderReport(report, output === 'wide'),
  );
  return report.rows.some(({ standing }) => standing === 'differs') ? 1 : 0;
}

function tellProgress({ scenario, runner, outcome }: Finding): void {
  process.stderr.write(`${outcome.padEnd(14)} ${runner.padEnd(13)} ${scenario}\n`);
}

function readReport(path: string): ParityReport {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ParityReport;
  } catch (error) {
    throw new UsageError(`${path} is no report of a run with -o json`, { cause: error });
  }
}

interface Target extends AsyncDisposable {
  readonly kubeconfig: string;
}

async function openTarget(target: string): Promise<Target> {
  if (target === 'kubeconfig') {
    const kubeconfig = process.env.KUBECONFIG ?? join(homedir(), '.kube', 'config');
    return { kubeconfig, [Symbol.asyncDispose]: async () => {} };
  }
  const folder = mkdtempSync(join(tmpdir(), 'slipway-conformance-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const cluster = await startCluster({ nodes: 2, log: silentLog });
  await cluster.ready();
  writeFileSync(kubeconfig, cluster.kubeconfig);
  return {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
