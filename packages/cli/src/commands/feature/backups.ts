import { type BackupSummary, deleteBackup, listBackups, serverNamespace } from '@slipway/features';
import type { Kube } from '@slipway/kube';
import type { Command } from 'commander';
import type { Content } from '../../output/content.js';
import { renderAge } from '../../output/duration.js';
import { type Format, formatOption, isForPeople, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { requireFeature } from './find-feature.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly serverNamespace: string;
  readonly delete?: string;
  readonly yes?: boolean;
  readonly format: Format;
}

/** `slipway feature backups [GATE]`. */
export function backups({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('backups', 'List the backups of cleared values, or delete one', [
      'slipway feature backups',
      'slipway feature backups MaxUnavailableStatefulSet --delete 4-x1yz --yes',
    ]),
  )
    .argument('[gate]', 'name of the gate, in any case; all features when absent')
    .option('-n, --namespace <name>', 'namespace of the feature')
    .option('--server-namespace <name>', 'namespace of the feature server', serverNamespace)
    .option('--delete <transition>', 'delete the backup of this transition permanently')
    .option('--yes', 'approve losing the values of the backup')
    .addOption(formatOption('table', 'wide', 'json', 'yaml'))
    .action(
      async (gate: string | undefined, { namespace, serverNamespace: home, yes, format, ...options }: Options) => {
        const kube = await connect(options);
        const selection =
          gate === undefined ? { namespace } : await selectionOf(kube, gate, namespace, { terminal, signal });
        const found = await listBackups(kube, { ...selection, home, signal });
        if (options.delete === undefined) {
          terminal.out(renderBackups(found, format));
          return;
        }
        if (gate === undefined) {
          throw new CommandError(exit.usage, '--delete needs the gate', 'slipway feature backups GATE --delete ID');
        }
        const backup = found.find(({ transition }) => transition === options.delete);
        if (!backup) {
          const message = `${gate} has no backup of transition ${options.delete}`;
          throw new CommandError(exit.no, message, `slipway feature backups ${gate}`);
        }
        if (!yes) {
          const question = `Delete ${backup.values} values of transition ${backup.transition}? Type yes to agree: `;
          if (!terminal.canAsk) throw new CommandError(exit.usage, 'deleted values cannot be restored', 'add --yes');
          if ((await terminal.ask(question)).trim() !== 'yes') throw new CommandError(exit.no, 'nothing was changed');
        }
        await deleteBackup(kube, backup, { home, signal });
        const text = `Deleted ${backup.values} values of transition ${backup.transition}.\n`;
        terminal.out(isForPeople(format) ? text : renderList([], { format, columns: [], document: backup }));
      },
    );
}

async function selectionOf(
  kube: Kube,
  gate: string,
  namespace: string | undefined,
  invocation: Pick<Invocation, 'terminal' | 'signal'>,
) {
  const { metadata } = await requireFeature(kube, gate, namespace, invocation);
  return { namespace: metadata.namespace, feature: metadata.name };
}

/** A listing of backups, newest first. */
export function renderBackups(backups: readonly BackupSummary[], format: Format): string | Content {
  const nowMs = Date.now();
  return renderList(backups, {
    format,
    document: backups,
    columns: [
      { heading: 'NAMESPACE', cell: ({ namespace }) => namespace },
      { heading: 'FEATURE', cell: ({ feature }) => feature },
      { heading: 'TRANSITION', cell: ({ transition }) => transition },
      { heading: 'VALUES', cell: ({ values }) => `${values}` },
      { heading: 'AGE', cell: ({ createdAt }) => renderAge(createdAt, nowMs) },
      { heading: 'EXPIRES', cell: ({ expiresAt }) => expiresAt.slice(0, 10) },
    ],
  });
}
