import {
  type BackupSummary,
  type Feature,
  type LeftValue,
  listBackups,
  type RestoreResult,
  restoreBackup,
  serverNamespace,
} from '@slipway/features';
import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import type { Terminal } from '../../runtime/terminal.js';
import { renderBackups } from './backups.js';
import { requireFeature } from './find-feature.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly serverNamespace: string;
  readonly transition?: string;
  readonly list?: boolean;
  readonly yes?: boolean;
  readonly format: Format;
}

/** Requests per second of a restore, which is nothing but requests. Priority and fairness of the API server still apply. */
const pace = { qps: 200, burst: 400 };
const maxNamed = 10;
/** Values between two lines of progress on a terminal that is not redrawn. */
const progressStep = 500;

/** `slipway feature restore GATE`. */
export function restore({ terminal, signal, answer }: Invocation): Command {
  return withCluster(
    newCommand('restore', 'Restore the values that turning a feature off cleared', [
      'slipway feature restore MaxUnavailableStatefulSet --list',
      'slipway feature restore MaxUnavailableStatefulSet --yes',
    ]),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .option('-n, --namespace <name>', 'namespace of the feature')
    .option('--server-namespace <name>', 'namespace of the feature server', serverNamespace)
    .option('--list', 'list the backups and change nothing')
    .option('--transition <id>', 'the backup of this transition; the newest backup when absent')
    .option('--yes', 'approve writing the values into the objects they came from')
    .addOption(formatOption('table', 'json', 'yaml'))
    .action(
      async (
        gate: string,
        { namespace, serverNamespace: home, transition, list, yes, format, ...cluster }: Options,
      ) => {
        const kube = await connect(cluster, pace);
        const found = await requireFeature(kube, gate, namespace, { terminal, signal });
        const { spec } = found;
        const where = { namespace: found.metadata.namespace ?? '', feature: found.metadata.name ?? '', home };
        const backups = await listBackups(kube, { ...where, signal });
        if (list) {
          terminal.out(renderBackups(backups, format));
          return;
        }
        const backup = requireBackup(backups, found, transition);
        if (!yes) {
          const question = `Put ${backup.values} values of transition ${backup.transition} back? Type yes to agree: `;
          if (!terminal.canAsk) throw new CommandError(exit.usage, 'restoring writes objects of users', 'add --yes');
          if ((await terminal.ask(question)).trim() !== 'yes') throw new CommandError(exit.no, 'nothing was changed');
        }
        const onProgress = progressOn(terminal);
        const result = await restoreBackup(kube, { ...where, transition: backup.transition, onProgress, signal });
        const { failure, ...document } = result;
        terminal.out(format === 'table' ? renderResult(result) : renderList([], { format, columns: [], document }));
        if (result.left.length === 0 && failure === undefined) return;
        if (failure === undefined) {
          answer(exit.no);
          const dropped = result.left.filter(({ reason }) => reason === 'Dropped').length;
          if (dropped > 0)
            terminal.err(`slipway: the API server dropped ${dropped} values, since the gate is off there\n`);
          const first = dropped > 0 ? `slipway feature on ${spec.gate} --wait, then ` : '';
          terminal.err(
            `To fix: ${first}slipway feature restore ${spec.gate} --transition ${backup.transition} --yes\n`,
          );
          return;
        }
        terminal.err(`To continue: slipway feature restore ${spec.gate} --transition ${backup.transition} --yes\n`);
        throw failure;
      },
    );
}

/** The backup to restore: that of a transition by its id, or the newest one. */
export function requireBackup(
  backups: readonly BackupSummary[],
  { spec, status = {} }: Feature,
  transition: string | undefined,
): BackupSummary {
  const past = status.history?.find(({ id }) => id === transition);
  const name = past?.backup ?? (transition === status.transition?.id ? (status.backup ?? transition) : transition);
  const backup = name === undefined ? backups[0] : backups.find((one) => one.transition === name);
  if (backup) return backup;
  const message = transition ? `${spec.gate} has no backup of transition ${transition}` : `${spec.gate} has no backup`;
  throw new CommandError(exit.no, message, `slipway feature restore ${spec.gate} --list`);
}

function renderResult({ total, restored, present, gone, left }: RestoreResult): string {
  const named = left.slice(0, maxNamed).map(renderLeft).join('');
  const more = left.length > maxNamed ? `  and ${left.length - maxNamed} more; all of them with -o json\n` : '';
  return (
    `Restored ${restored} of ${total} values (${present} have a value again, ${gone} objects are gone).\n` +
    (left.length > 0 ? `Left: ${left.length} values.\n${named}${more}` : '')
  );
}

function renderLeft({ resource, namespace, name, path, message }: LeftValue): string {
  return `  ${resource} ${namespace === undefined ? '' : `${namespace}/`}${name}: ${path}: ${message}\n`;
}

/** Shows progress on stderr: a line that is redrawn for a person, a line now and then for a log. */
function progressOn(terminal: Terminal): (done: number, total: number) => void {
  let reported = 0;
  return (done, total) => {
    if (terminal.progress) terminal.draw('stderr', `\rRestoring: ${done}/${total} values${done === total ? '\n' : ''}`);
    else if (done - reported >= progressStep) {
      reported = done;
      terminal.err(`Restoring: ${done}/${total} values\n`);
    }
  };
}
