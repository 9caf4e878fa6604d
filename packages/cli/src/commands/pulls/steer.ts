import { ConfigurationError, limitOf } from '@slipway/image-pulls';
import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../../output/duration.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { askDaemon, type DaemonOptions, whichDaemon } from './daemon-options.js';

interface Options extends DaemonOptions {
  readonly format: Format;
}

/** `slipway pulls limit`. */
export function limit({ terminal }: Invocation): Command {
  return whichDaemon(
    newCommand('limit', 'Show or set how many images are pulled at once, until the next reload or start', [
      'slipway pulls limit',
      'slipway pulls limit 2',
      'slipway pulls limit 1 --for 2h',
      'slipway pulls limit 0',
    ]),
  )
    .argument('[n]', 'pulls at once, 0 for no limit', limitArgument)
    .option('--for <time>', 'duration, after which the configured limit applies again', parseDuration)
    .addOption(outcomeOption())
    .action(
      async (wanted: number | undefined, { format, for: forMs, ...which }: Options & { readonly for?: number }) => {
        if (wanted === undefined && forMs !== undefined) {
          throw new CommandError(exit.usage, '--for without a limit', 'name one: slipway pulls limit 2 --for 2h');
        }
        const state = await askDaemon(which, (daemon) =>
          wanted === undefined ? daemon.state() : daemon.setLimit(wanted, forMs),
        );
        const text = state.limit === 0 ? 'no limit\n' : `${state.limit}\n`;
        terminal.out(renderOutcome(format, text, { limit: state.limit, source: state.limitSource }));
      },
    );
}

/** `slipway pulls pause`. */
export function pause({ terminal }: Invocation): Command {
  return whichDaemon(
    newCommand('pause', 'Start no more pulls until resume; running pulls continue', ['slipway pulls pause']),
  )
    .addOption(outcomeOption())
    .action(async ({ format, ...which }: Options) => {
      const { waiting } = await askDaemon(which, (daemon) => daemon.pause());
      const text = `Paused, ${waiting.length} waiting.\n`;
      terminal.out(renderOutcome(format, text, { paused: true, waiting: waiting.length }));
    });
}

/** `slipway pulls resume`. */
export function resume({ terminal }: Invocation): Command {
  return whichDaemon(newCommand('resume', 'Start pulls again after pause', ['slipway pulls resume']))
    .addOption(outcomeOption())
    .action(async ({ format, ...which }: Options) => {
      const { counted } = await askDaemon(which, (daemon) => daemon.resume());
      terminal.out(renderOutcome(format, `Resumed, ${counted} running.\n`, { paused: false, running: counted }));
    });
}

/** `slipway pulls drop`. */
export function drop({ terminal, answer }: Invocation): Command {
  return whichDaemon(
    newCommand('drop', 'Reject the waiting calls for an image or of a pod; the kubelet retries later', [
      'slipway pulls drop registry.example/web:1',
      'slipway pulls drop --pod-uid 0b7f6c1e-2f0c-4d4e-9a55-8a1f6a1f2d3c',
    ]),
  )
    .argument('[image]', 'the image as slipway pulls list shows it')
    .option('--pod-uid <uid>', 'all waiting calls of this pod')
    .addOption(outcomeOption())
    .action(async (image: string | undefined, { format, podUid, ...which }: Options & { readonly podUid?: string }) => {
      if ((image === undefined) === (podUid === undefined)) {
        throw new CommandError(exit.usage, 'no image or pod is given', 'name an image, or a pod with --pod-uid');
      }
      const { dropped } = await askDaemon(which, (daemon) =>
        image !== undefined ? daemon.drop(image) : daemon.podsGone([podUid ?? '']),
      );
      const what = image ?? `pod ${podUid}`;
      const text = dropped === 0 ? `No caller waits for ${what}.\n` : `Dropped ${dropped} waiting for ${what}.\n`;
      terminal.out(renderOutcome(format, text, { dropped }));
      if (dropped > 0) return;
      terminal.err('To fix: see who waits with slipway pulls list\n');
      answer(exit.no);
    });
}

function limitArgument(text: string): number {
  try {
    return limitOf(text);
  } catch (error) {
    throw error instanceof ConfigurationError ? new InvalidArgumentError(error.message) : error;
  }
}
