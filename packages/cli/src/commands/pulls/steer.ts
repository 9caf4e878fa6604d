import { ConfigurationError, limitOf } from '@slipway/image-pulls';
import { type Command, InvalidArgumentError } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { exit } from '../../runtime/exit.js';
import { askDaemon, type DaemonOptions, whichDaemon } from './daemon-options.js';

/** `slipway pulls limit`. */
export function limit({ terminal }: Invocation): Command {
  return whichDaemon(
    newCommand('limit', 'Show or set how many images are pulled at once, until the next reload or start', [
      'slipway pulls limit',
      'slipway pulls limit 2',
      'slipway pulls limit 0',
    ]),
  )
    .argument('[n]', 'pulls at once, 0 for no limit', limitArgument)
    .action(async (wanted: number | undefined, which: DaemonOptions) => {
      const state = await askDaemon(which, (daemon) =>
        wanted === undefined ? daemon.state() : daemon.setLimit(wanted),
      );
      terminal.out(state.limit === 0 ? 'no limit\n' : `${state.limit}\n`);
    });
}

/** `slipway pulls pause`. */
export function pause({ terminal }: Invocation): Command {
  return whichDaemon(newCommand('pause', 'Start no more pulls until resume; those that run go on')).action(
    async (which: DaemonOptions) => {
      const { waiting } = await askDaemon(which, (daemon) => daemon.pause());
      terminal.out(`Paused, ${waiting.length} waiting.\n`);
    },
  );
}

/** `slipway pulls resume`. */
export function resume({ terminal }: Invocation): Command {
  return whichDaemon(newCommand('resume', 'Start pulls again after pause')).action(async (which: DaemonOptions) => {
    const { counted } = await askDaemon(which, (daemon) => daemon.resume());
    terminal.out(`Resumed, ${counted} running.\n`);
  });
}

/** `slipway pulls drop`. */
export function drop({ terminal, answer }: Invocation): Command {
  return whichDaemon(
    newCommand('drop', 'Refuse the callers that wait for an image; the kubelet tries again later', [
      'slipway pulls drop registry.example/web:1',
    ]),
  )
    .argument('<image>', 'the image as slipway pulls list shows it')
    .action(async (image: string, which: DaemonOptions) => {
      const { dropped } = await askDaemon(which, (daemon) => daemon.drop(image));
      terminal.out(dropped === 0 ? `Nobody waits for ${image}.\n` : `Dropped ${dropped} waiting for ${image}.\n`);
      if (dropped === 0) answer(exit.no);
    });
}

function limitArgument(text: string): number {
  try {
    return limitOf(text);
  } catch (error) {
    throw error instanceof ConfigurationError ? new InvalidArgumentError(error.message) : error;
  }
}
