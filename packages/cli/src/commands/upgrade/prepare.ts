import { observeUpgrade, type Preparation, previewPreparations, requestPreparation } from '@slipway/features';
import type { Command } from 'commander';
import { type Format, formatOption, isForPeople, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { refuseSameVersion, targetVersion } from '../../runtime/target-version.js';
import { timedOut, type WaitOptions, withWait } from '../../runtime/wait.js';
import { consentOptions, explainRefusal } from '../feature/agree.js';
import { served } from '../feature/find-feature.js';
import { reportLiveness } from '../feature/report-liveness.js';
import { type Requested, waitUntilPrepared } from './wait-until-prepared.js';

interface Options extends ClusterOptions, WaitOptions {
  readonly to: string;
  readonly yes?: boolean;
  readonly format: Format;
}

/** `slipway upgrade prepare --to VERSION`. */
export function prepare(invocation: Invocation): Command {
  return withWait(
    withCluster(
      newCommand('prepare', 'Run the tasks of features that must run before this cluster moves to another version', [
        'slipway upgrade prepare --to v1.35',
        'slipway upgrade prepare --to v1.35 --yes --wait --timeout 5m',
      ]),
    ),
  )
    .requiredOption('--to <version>', 'minor version of Kubernetes, for example v1.35', targetVersion)
    .option('--yes', 'approve exactly the printed tasks; without it nothing is changed')
    .addOption(formatOption('table', 'wide', 'json', 'yaml'))
    .action((options: Options) => run(options, invocation));
}

async function run(options: Options, { terminal, signal }: Invocation): Promise<void> {
  const { to, yes, wait, timeout, format, ...cluster } = options;
  const kube = await connect(cluster);
  const view = await served(() => observeUpgrade(kube, to, signal));
  refuseSameVersion(view);
  await reportLiveness(kube, view.features, { terminal, signal });
  const preparations = await previewPreparations(kube, view, signal);
  const rows = preparations.flatMap(rowsOf);
  if (rows.length === 0) {
    terminal.out(isForPeople(format) ? `No definition wants anything done on the way to v${to}.\n` : '[]\n');
    return;
  }
  terminal.out(renderList(rows, { format, columns, document: rows }));
  if (!yes) {
    if (isForPeople(format)) terminal.err(`Nothing was done. To do it: slipway upgrade prepare --to v${to} --yes\n`);
    return;
  }
  const due = preparations.filter(({ state }) => state !== 'Done');
  if (due.length === 0) {
    if (isForPeople(format)) terminal.err(`Nothing is left to do before v${to}.\n`);
    return;
  }
  const requested: Requested[] = [];
  for (const preparation of due) {
    const look = `slipway feature get ${preparation.feature.spec.gate}`;
    const how = consentOptions(options, signal);
    const feature = await requestPreparation(kube, preparation, how).catch(explainRefusal(look));
    requested.push({ preparation, feature });
  }
  if (!wait) return;
  const open = await waitUntilPrepared(kube, requested, timeout, signal);
  const [first] = open;
  if (!first) return;
  const fix = `slipway feature get ${first.gate}`;
  if (open.every(({ blocked }) => blocked !== undefined)) {
    const why = open.map(({ gate, blocked }) => `${gate}: ${blocked}`).join('; ');
    throw new CommandError(exit.no, `v${to} is not prepared, and waits for a user: ${why}`, fix);
  }
  const waitsFor = open.map(({ gate }) => gate).join(', ');
  throw timedOut(`v${to} is not prepared`, { timeoutMs: timeout, waitsFor, fix });
}

interface Row {
  readonly gate: string;
  readonly task: string;
  readonly kind: string;
  readonly when: 'Before' | 'After';
  readonly destructive: boolean;
  /** Those that the task would change; absent where they cannot be counted. */
  readonly objects?: number;
  readonly state: string;
}

const columns = [
  { heading: 'GATE', cell: ({ gate }: Row) => gate },
  { heading: 'TASK', cell: ({ task }: Row) => task },
  { heading: 'WHEN', cell: ({ when }: Row) => when.toLowerCase() },
  { heading: 'CHANGES OBJECTS', cell: ({ destructive }: Row) => (destructive ? 'yes' : 'no') },
  { heading: 'OBJECTS', cell: ({ objects }: Row) => String(objects ?? '-') },
  { heading: 'STATE', cell: ({ state }: Row) => state },
];

function rowsOf({ feature, before, after, plan, state, objects }: Preparation): readonly Row[] {
  const { maintenance } = feature.status ?? {};
  const known = maintenance?.plan === plan || state === 'Again' ? maintenance : undefined;
  const stateOf = (name: string, count = 0) => {
    const completed = known?.completed.find((task) => task.name === name);
    if (completed && state === 'Again' && count > 0) return 'Again';
    return completed?.result ?? known?.tasks.find((task) => task.name === name)?.phase ?? 'Open';
  };
  return [...before, ...after].map(({ name, kind, destructive = false }) => {
    const count = objects.find(({ task }) => task === name)?.count;
    return {
      gate: feature.spec.gate,
      task: name,
      kind,
      when: before.some((task) => task.name === name) ? 'Before' : 'After',
      destructive,
      ...(count !== undefined && { objects: count }),
      state: stateOf(name, count),
    };
  });
}
