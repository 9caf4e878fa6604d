import { randomUUID } from 'node:crypto';
import {
  ConfigurationError,
  CriImageService,
  defaultPullsSettings,
  ImageEnsurer,
  limitOf,
  socketPath,
} from '@slipway/image-pulls';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';

interface Options {
  readonly runtime: string;
  readonly limit: number;
  readonly policy: 'Always' | 'IfNotPresent' | 'Never';
  readonly namespace: string;
}

/** `slipway pulls ensure`. */
export function ensure({ terminal, signal, answer }: Invocation): Command {
  return newCommand('ensure', 'Have an image on this node, as a kubelet would: policy, option and events', [
    'slipway pulls ensure registry.example/web:1 --runtime /run/slipway/pulls/image.sock',
  ])
    .argument('<image>')
    .option(
      '--runtime <socket>',
      'socket of the runtime, or of a limiter before it',
      socketArgument,
      defaultPullsSettings.listen,
    )
    .option('--limit <n>', 'maxParallelImagePulling of this call; 0 sends none', limitArgument, 0)
    .addOption(
      new Option('--policy <policy>', 'when to pull')
        .choices(['Always', 'IfNotPresent', 'Never'])
        .default('IfNotPresent'),
    )
    .option('-n, --namespace <name>', 'whose pull it is, which decides with whom it is shared', 'default')
    .action(async (image: string, { runtime, limit, policy, namespace }: Options) => {
      const service = new CriImageService({ path: runtime });
      try {
        await service.discover(signal).catch((cause: unknown) => {
          signal.throwIfAborted();
          throw new CommandError(exit.cluster, `no container runtime answers at ${runtime}`, 'name it with --runtime', {
            cause,
          });
        });
        const ensurer = new ImageEnsurer({
          service,
          maxParallelImagePulling: () => limit,
          onEvent: ({ type, reason, message }) => terminal.err(`${type} ${reason}: ${message}\n`),
        });
        const pod = { name: 'slipway-pulls-ensure', uid: randomUUID(), namespace };
        const ensured = await ensurer.ensureImage({ image, policy, pod, container: 'ensure' }, signal);
        if (ensured.kind === 'pulled' || ensured.kind === 'present') {
          terminal.out(`${ensured.imageRef}\n`);
          return;
        }
        if (ensured.kind === 'failed') terminal.err(`slipway: ${ensured.reason}: ${ensured.message}\n`);
        answer(exit.no);
      } finally {
        service.close();
      }
    });
}

function socketArgument(text: string): string {
  return argument(() => socketPath(text));
}

function limitArgument(text: string): number {
  return argument(() => limitOf(text, '--limit'));
}

function argument<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ConfigurationError ? new InvalidArgumentError(error.message) : error;
  }
}
