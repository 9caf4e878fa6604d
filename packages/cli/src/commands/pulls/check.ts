import {
  configurationProblems,
  KubeletFileError,
  type KubeletLimit,
  kubeletLimit,
  pullsSettings,
  readConfigurationFile,
  readKubeletFiles,
} from '@slipway/image-pulls';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';

interface Options {
  readonly kubeletConfig?: string;
  readonly kubeletConfigDir?: string;
  readonly format: Format;
}

/** What one file comes to. */
interface Checked {
  readonly file: string;
  /** 0 means unlimited; undefined with `problem`. */
  readonly limit?: number;
  readonly onFull?: string;
  /** What a kubelet does by itself with this file. */
  readonly kubeletRuns?: KubeletLimit['kubeletRuns'];
  readonly problem?: string;
  readonly warning?: string;
}

/** `slipway pulls check`. */
export function check({ terminal, answer }: Invocation): Command {
  return newCommand('check', 'Print the effective settings of a configuration', [
    'slipway pulls check /etc/slipway/pulls.yaml',
    'slipway pulls check --kubelet-config /var/lib/kubelet/config.yaml',
  ])
    .argument('[file]', 'a PullsConfiguration')
    .option('--kubelet-config <file>', 'a KubeletConfiguration')
    .option('--kubelet-config-dir <folder>', 'its drop-ins, as the kubelet’s --config-dir names them')
    .addOption(outcomeOption())
    .action((file: string | undefined, { kubeletConfig, kubeletConfigDir = '', format }: Options) => {
      if (file === undefined && kubeletConfig === undefined && kubeletConfigDir === '') {
        throw new CommandError(exit.usage, 'nothing to check', 'name a file, --kubelet-config or --kubelet-config-dir');
      }
      const wrong = file === undefined ? [] : configurationProblems(file);
      if (wrong.length > 0) {
        for (const problem of wrong) terminal.err(`slipway: ${problem}\n`);
        terminal.err('To fix: correct the file named above\n');
        answer(exit.usage);
        return;
      }
      const settings = pullsSettings(file === undefined ? {} : readConfigurationFile(file));
      const checked: Checked[] = [];
      if (file !== undefined && settings.limit !== 'fromKubelet') {
        checked.push({ file, limit: settings.limit, onFull: settings.onFull.mode });
      }
      const usesKubelet = settings.limit === 'fromKubelet' && file !== undefined;
      const isNamed = usesKubelet || kubeletConfigDir !== '';
      const config = kubeletConfig ?? (isNamed ? settings.kubelet.config : undefined);
      if (config !== undefined) {
        const configDir = kubeletConfigDir || (usesKubelet ? settings.kubelet.configDir : '');
        checked.push(kubeletChecked({ ...(usesKubelet && settings.kubelet), config, configDir }));
      }
      terminal.out(renderOutcome(format, checked.map(lineOf).join(''), checked));
      for (const { warning } of checked) if (warning !== undefined) terminal.err(`Warning: ${warning}\n`);
      if (checked.every(({ problem }) => problem === undefined)) return;
      terminal.err('To fix: correct the kubelet’s configuration\n');
      answer(exit.no);
    });
}

function kubeletChecked(files: Parameters<typeof readKubeletFiles>[0]): Checked {
  const { limit, kubeletRuns, problem, warning } = kubeletLimit(read(() => readKubeletFiles(files)));
  return {
    file: files.config,
    kubeletRuns,
    ...(limit !== undefined && { limit }),
    ...(problem !== undefined && { problem }),
    ...(warning !== undefined && { warning }),
  };
}

function lineOf({ file, limit, onFull, kubeletRuns, problem }: Checked): string {
  const kubelet = kubeletRuns === 'nothing' ? 'a kubelet does not start' : `a kubelet alone runs ${kubeletRuns}`;
  if (problem !== undefined || limit === undefined) return `${file}: ${problem}; ${kubelet}\n`;
  return `${file}: ${limited(limit)}${onFull === undefined ? `; ${kubelet}` : `, on full ${onFull}`}\n`;
}

function limited(limit: number): string {
  return limit === 0 ? 'no limit' : `at most ${limit} at once`;
}

/** What cannot be read is wrong input. */
function read<T>(reading: () => T): T {
  try {
    return reading();
  } catch (error) {
    throw error instanceof KubeletFileError
      ? new CommandError(exit.usage, error.message, 'correct the file named above', { cause: error })
      : error;
  }
}
