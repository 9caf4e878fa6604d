import {
  ConfigurationError,
  kubeletLimit,
  pullsSettings,
  readConfigurationFile,
  readKubeletFiles,
} from '@slipway/image-pulls';
import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';

interface Options {
  readonly kubeletConfig?: string;
  readonly kubeletConfigDir?: string;
}

/** `slipway pulls check`. */
export function check({ terminal, answer }: Invocation): Command {
  return newCommand('check', 'Say what a configuration comes to, without starting anything', [
    'slipway pulls check /etc/slipway/pulls.yaml',
    'slipway pulls check --kubelet-config /var/lib/kubelet/config.yaml',
  ])
    .argument('[file]', 'a PullsConfiguration')
    .option('--kubelet-config <file>', 'a KubeletConfiguration')
    .option('--kubelet-config-dir <folder>', 'its drop-ins')
    .action((file: string | undefined, { kubeletConfig, kubeletConfigDir = '' }: Options) => {
      if (file === undefined && kubeletConfig === undefined) {
        throw new CommandError(exit.usage, 'nothing to check', 'name a file, or --kubelet-config');
      }
      const settings = read(() => pullsSettings(file === undefined ? {} : readConfigurationFile(file)));
      if (file !== undefined && settings.limit !== 'fromKubelet') {
        terminal.out(`${file}: ${limited(settings.limit)}, on full ${settings.onFull.mode}\n`);
      }
      const usesKubelet = settings.limit === 'fromKubelet' && file !== undefined;
      const config = kubeletConfig ?? (usesKubelet ? settings.kubelet.config : undefined);
      if (config === undefined) return;
      const configDir = kubeletConfigDir || (usesKubelet ? settings.kubelet.configDir : '');
      const { limit, kubeletRuns, problem, warning } = kubeletLimit(
        read(() => readKubeletFiles({ config, configDir })),
      );
      const kubelet = kubeletRuns === 'nothing' ? 'a kubelet does not start' : `a kubelet alone runs ${kubeletRuns}`;
      if (limit === undefined) {
        terminal.out(`${config}: ${problem}; ${kubelet}\n`);
        answer(exit.no);
        return;
      }
      terminal.out(`${config}: ${limited(limit)}; ${kubelet}\n`);
      if (warning !== undefined) terminal.err(`Warning: ${warning}\n`);
    });
}

function limited(limit: number): string {
  return limit === 0 ? 'no limit' : `at most ${limit} at once`;
}

/** What cannot be read is wrong input. */
function read<T>(reading: () => T): T {
  try {
    return reading();
  } catch (error) {
    const isInput =
      error instanceof ConfigurationError || (error instanceof Error && error.name === 'KubeletFileError');
    throw isInput
      ? new CommandError(exit.usage, error.message, 'correct the file named above', { cause: error })
      : error;
  }
}
