import { type BackupSummary, listBackups, restoreBackup } from '@slipway/features';
import type { Command } from 'commander';
import { renderAge } from '../../output/duration.js';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { demandFeature } from './find-feature.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly transition?: string;
  readonly list?: boolean;
  readonly yes?: boolean;
  readonly format: Format;
}

/** `slipway feature restore GATE`. */
export function restore({ terminal, signal, answer }: Invocation): Command {
  return withCluster(
    newCommand('restore', 'Put back the values that turning a feature off has cleared', [
      'slipway feature restore MaxUnavailableStatefulSet --list',
      'slipway feature restore MaxUnavailableStatefulSet --yes',
    ]),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .option('-n, --namespace <name>', 'namespace of the feature')
    .option('--list', 'show the backups there are, and do nothing')
    .option('--transition <id>', 'which backup; the newest unless said otherwise')
    .option('--yes', 'agree to writing the values into the objects they came from')
    .addOption(formatOption('table', 'json', 'yaml'))
    .action(async (gate: string, { namespace, transition, list, yes, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const { metadata, spec } = await demandFeature(kube, gate, namespace, { terminal, signal });
      const feature = metadata.name ?? '';
      const where = metadata.namespace ?? '';
      const backups = await listBackups(kube, where, feature);
      if (list) {
        terminal.out(renderBackups(backups, format));
        return;
      }
      const backup = backups.find((one) => transition === undefined || one.transition === transition);
      if (!backup) {
        const message = transition
          ? `${spec.gate} has no backup of transition ${transition}`
          : `${spec.gate} has no backup`;
        throw new CommandError(exit.no, message, `slipway feature restore ${spec.gate} --list`);
      }
      if (!yes) {
        const question = `Put ${backup.values} values of transition ${backup.transition} back? Type yes to agree: `;
        if (!terminal.canAsk) throw new CommandError(exit.usage, 'restoring writes objects of users', 'add --yes');
        if ((await terminal.ask(question)).trim() !== 'yes') throw new CommandError(exit.no, 'nothing was changed');
      }
      const result = await restoreBackup(kube, { namespace: where, feature, transition: backup.transition, signal });
      const { restored, present, gone, dropped, refused } = result;
      const text = `Restored ${restored} of ${backup.values} values (${present} have a value again, ${gone} objects are gone).\n`;
      terminal.out(format === 'table' ? text : renderList([], { format, columns: [], document: result }));
      if (dropped + refused.length === 0) return;
      answer(exit.no);
      if (dropped > 0) terminal.err(`slipway: the API server dropped ${dropped} values, since the gate is off there\n`);
      for (const line of refused) terminal.err(`slipway: refused: ${line}\n`);
      terminal.err(`To fix: slipway feature on ${spec.gate} --wait, then restore again\n`);
    });
}

function renderBackups(backups: readonly BackupSummary[], format: Format): string {
  const nowMs = Date.now();
  return renderList(backups, {
    format,
    document: backups,
    columns: [
      { heading: 'TRANSITION', cell: ({ transition }) => transition },
      { heading: 'VALUES', cell: ({ values }) => `${values}` },
      { heading: 'AGE', cell: ({ createdAt }) => renderAge(createdAt, nowMs) },
    ],
  });
}
