import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  ConfigurationError,
  CriImageService,
  defaultPullsSettings,
  type FailureReason,
  ImageEnsurer,
  limitOf,
  type RegistryAuth,
  registryOf,
  socketPath,
} from '@slipway/image-pulls';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';

interface Options {
  readonly runtime: string;
  readonly limit: number;
  readonly policy: 'Always' | 'IfNotPresent' | 'Never';
  readonly namespace: string;
  readonly secret?: string;
  readonly format: Format;
}

/** `slipway pulls ensure`. */
export function ensure({ terminal, signal, answer }: Invocation): Command {
  return newCommand('ensure', 'Pull an image as a kubelet would: policy, option and events', [
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
    .option('--secret <file>', 'registry credentials, as a .dockerconfigjson or ~/.docker/config.json has them')
    .addOption(outcomeOption())
    .option(
      '-n, --namespace <name>',
      'namespace of the pod, which decides with which calls the pull is shared',
      'default',
    )
    .action(async (image: string, { runtime, limit, policy, namespace, secret, format }: Options) => {
      const credentials = secret === undefined ? [] : credentialsOf(secret, image);
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
        const ensured = await ensurer.ensureImage({ image, policy, pod, container: 'ensure', credentials }, signal);
        const isThere = ensured.kind === 'pulled' || ensured.kind === 'present';
        terminal.out(renderOutcome(format, isThere ? `${ensured.imageRef}\n` : '', ensured));
        if (isThere) return;
        if (ensured.kind === 'failed') {
          terminal.err(`slipway: ${ensured.reason}: ${ensured.message}\n`);
          terminal.err(`To fix: ${fixOf(ensured.reason, secret)}\n`);
        }
        answer(exit.no);
      } finally {
        service.close();
      }
    });
}

/** The credentials of a docker configuration that are for the registry of an image. */
function credentialsOf(path: string, image: string): readonly RegistryAuth[] {
  let auths: unknown;
  try {
    ({ auths } = JSON.parse(readFileSync(path, 'utf8')) as { auths?: unknown });
  } catch (cause) {
    throw new CommandError(exit.usage, `${path} cannot be read as JSON`, 'name a .dockerconfigjson', { cause });
  }
  const registry = registryOf(image);
  const entries = Object.entries((auths ?? {}) as Record<string, RegistryAuth>);
  const fitting = entries.filter(([host]) => hostOf(host) === registry);
  if (fitting.length > 0) {
    return fitting.map(([serverAddress, { username, password, auth }]) => ({
      serverAddress,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(auth !== undefined && { auth }),
    }));
  }
  throw new CommandError(
    exit.usage,
    `${path} has no credentials for ${registry}`,
    'name a file that has them, or omit --secret',
  );
}

/** Docker writes its own registry as a URL. */
function hostOf(written: string): string {
  const host = written.replace(/^https?:\/\//, '').split('/')[0] ?? '';
  return host === 'index.docker.io' ? 'docker.io' : host;
}

function fixOf(reason: FailureReason, secret: string | undefined): string {
  if (reason === 'ErrImageNeverPull') return 'pull it with --policy IfNotPresent';
  if (reason === 'InvalidImageName') return 'write it as registry/name:tag';
  return secret === undefined
    ? 'see that the image is there, and give credentials with --secret if it is private'
    : 'see that the image is there, and that these credentials may read it';
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
