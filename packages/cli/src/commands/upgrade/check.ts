import { checkUpgrade, observeUpgrade, type UpgradeVerdict } from '@slipway/features';
import type { Command } from 'commander';
import { outputOption } from '../../output/format.js';
import { renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { type ExitCode, exit } from '../../runtime/exit.js';
import { refuseSameVersion, targetVersionOrNext } from '../../runtime/target-version.js';
import { served } from '../feature/find-feature.js';
import { renderVerdict } from './render-verdict.js';
import { renderVerdictSarif } from './render-verdict-sarif.js';

const formats = ['table', 'json', 'yaml', 'sarif'] as const;

interface Options extends ClusterOptions {
  readonly to: string;
  readonly strict?: boolean;
  readonly format: (typeof formats)[number];
}

/** `slipway upgrade check --to VERSION`. */
export function check({ terminal, signal, answer }: Invocation): Command {
  return withCluster(
    newCommand('check', 'List what blocks moving this cluster to another version, up or down', [
      'slipway upgrade check --to v1.35',
      'slipway upgrade check --to v1.37 --strict -o sarif > upgrade.sarif',
    ]),
  )
    .requiredOption('--to <version>', 'minor version of Kubernetes, for example v1.35', targetVersionOrNext)
    .option('--strict', 'exit with 1 for warnings too')
    .addOption(outputOption(formats))
    .action(async ({ to, strict, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const view = await served(() => observeUpgrade(kube, to, signal));
      refuseSameVersion(view);
      const verdict = checkUpgrade(view);
      terminal.out(
        format === 'sarif' ? renderVerdictSarif(verdict) : renderOutcome(format, renderVerdict(verdict), verdict),
      );
      answer(codeOf(verdict, strict ?? false));
    });
}

function codeOf({ verdict }: UpgradeVerdict, strict: boolean): ExitCode {
  if (verdict === 'Blocked') return exit.no;
  if (verdict === 'Unknown') return exit.unknown;
  return verdict === 'Warnings' && strict ? exit.no : exit.ok;
}
