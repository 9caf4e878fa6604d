import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '@slipway/devcluster';
import { silentLog } from '@slipway/kube';
import { compareCluster } from './compare-cluster.js';
import { comparedBy, RecordError, readRecord, readRecords, recordOf } from './comparison-record.js';
import { readCorpus } from './corpus.js';
import type { Finding } from './play-scenario.js';
import { renderReport } from './report.js';
import { ScenarioError } from './scenario.js';

const help = `Plays the conformance scenarios against a cluster and says of each behaviour whether it is that of Kubernetes.

  npm run conformance                                              a devcluster of its own
  npm run conformance -- --target kubeconfig                       the cluster of KUBECONFIG
  npm run conformance -- --target kubeconfig --record real.json    the same, keeping what held
  npm run conformance -- --compared real.json                      held against that run only
  npm run conformance -- M16 rv-rules --kubectl ./kubectl-1.30 --kubectl ./kubectl-1.33 -o wide

Names choose rows or scenarios. --target is devcluster (default) or kubeconfig; --kubectl may be repeated and is the one
in PATH when absent; --image is one that nodes of the target can pull; without --compared the runs in conformance/compared count; -o is table, wide or json.
Exit codes: 0 nothing differs, 1 something differs, 2 wrong usage, 4 no cluster answers.
`;

/** What the command is handed by the process it runs in. */
export interface Surroundings {
  /** Folder with `rows.yaml` and `scenarios`. */
  readonly folder: string;
  /** The kubeconfig file that `--target kubeconfig` means. */
  readonly kubeconfig: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether to report progress, as for a person at a terminal. */
  readonly isWatched: boolean;
}

class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Runs `npm run conformance`. Resolves with the exit code. */
export async function conformanceCommand(argv: readonly string[], around: Surroundings): Promise<number> {
  try {
    const flags = readFlags(argv);
    if (!flags.help) return await compare(flags, around);
    around.out(help);
    return 0;
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const isUsage =
      [UsageError, ScenarioError, RecordError].some((kind) => error instanceof kind) ||
      code?.startsWith('ERR_PARSE_ARGS');
    around.err(`conformance: ${message}\n`);
    around.err(`To fix: ${isUsage ? 'npm run conformance -- --help' : 'kubectl version must reach the cluster'}\n`);
    return isUsage ? 2 : 4;
  }
}

const formats = ['table', 'wide', 'json'];

function readFlags(argv: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      target: { type: 'string', default: 'devcluster' },
      kubectl: { type: 'string', multiple: true, default: ['kubectl'] },
      image: { type: 'string', default: 'registry.example/app:1' },
      compared: { type: 'string' },
      record: { type: 'string' },
      output: { type: 'string', short: 'o', default: 'table' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (!formats.includes(values.output)) throw new UsageError(`-o ${values.output} is none of ${formats.join(', ')}`);
  if (!['devcluster', 'kubeconfig'].includes(values.target)) {
    throw new UsageError(`--target ${values.target} is neither devcluster nor kubeconfig`);
  }
  return { ...values, only: positionals };
}

async function compare(flags: ReturnType<typeof readFlags>, around: Surroundings): Promise<number> {
  const { folder, out, err, isWatched } = around;
  const { scenarios } = readCorpus(folder);
  const records = flags.compared === undefined ? readRecords(folder) : [readRecord(flags.compared)];
  const compared = comparedBy(records, scenarios);
  const progress = ({ scenario, runner, outcome }: Finding) =>
    err(`${outcome.padEnd(14)} ${runner.padEnd(13)} ${scenario}\n`);
  await using target = await openTarget(flags.target, around.kubeconfig);
  const report = await compareCluster({
    folder,
    kubeconfig: target.kubeconfig,
    kubectls: flags.kubectl,
    only: flags.only,
    image: flags.image,
    compared,
    ...(isWatched && { progress }),
  });
  if (flags.record !== undefined) {
    const record = recordOf(report, scenarios, Date.now());
    writeFileSync(flags.record, `${JSON.stringify(record, null, 1)}\n`);
  }
  out(flags.output === 'json' ? `${JSON.stringify(report, null, 2)}\n` : renderReport(report, flags.output === 'wide'));
  return report.rows.some(({ standing }) => standing === 'differs') ? 1 : 0;
}

interface Target extends AsyncDisposable {
  readonly kubeconfig: string;
}

async function openTarget(target: string, kubeconfig: string): Promise<Target> {
  if (target === 'kubeconfig') return { kubeconfig, [Symbol.asyncDispose]: async () => {} };
  const folder = mkdtempSync(join(tmpdir(), 'slipway-conformance-'));
  const cluster = await startCluster({ nodes: 2, log: silentLog });
  await cluster.ready();
  writeFileSync(join(folder, 'kubeconfig'), cluster.kubeconfig);
  return {
    kubeconfig: join(folder, 'kubeconfig'),
    async [Symbol.asyncDispose]() {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
