import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import {
  defaultKubeletConfig,
  isNewEnough,
  limitOf,
  listenSocket,
  metricsAddress,
  oldestNode,
  type PullsConfiguration,
  type Serving,
  serve,
  socketPath,
} from '@slipway/image-pulls/serve';
import { printableJson, printableLine } from '@slipway/safe-yaml/printable';
import { type ServeFlagValues, serveFlagList, serveFlags } from './serve-flags.js';

const options = Object.fromEntries(
  serveFlagList.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string' } as const]),
);

/**
 * `slipway pulls serve`, with the words after it. Resolves with the exit code when the daemon has ended.
 *
 * Runs in front of the container runtime, so this file loads nothing but image-pulls and what that needs:
 * no flag parser, no client, no cluster. Keep it so; a test counts the modules.
 */
export async function servePulls(argv: readonly string[]): Promise<number> {
  // A storm of calls leaves garbage for a moment, and the room for it would be kept: 25 MB with 1,000 waiting.
  setFlagsFromString('--semi-space-growth-factor=1');
  let serving: Serving;
  try {
    const parsed = parseArgs({ args: [...argv], options, allowPositionals: false });
    const values = parsed.values as ServeFlagValues;
    if (!isNewEnough(process.version)) {
      throw new UsageError(`Node.js ${process.version} is too old: ${oldestNode} or later is needed`);
    }
    const config = values.config;
    const featureGates = values['feature-gates'];
    const takeOver = values['take-over'];
    serving = await serve({ flags: settingsOf(values), config, featureGates, takeOver, log });
  } catch (error) {
    const message = printableLine(error instanceof Error ? error.message : String(error));
    process.stderr.write(`slipway: ${message}. To fix: see slipway pulls serve --help\n`);
    return isKnown(error) ? 2 : 5;
  }
  const { settings, daemon } = serving;
  // Whoever reads the line may send a signal at once.
  const stopped = untilStopped(serving);
  process.stdout.write(`Listening at ${settings.listen} for ${settings.runtime}, limit ${daemon.state().limit}\n`);
  return await stopped;
}

/**
 * SIGTERM and SIGINT let what is open end; SIGINT after either of them does not. systemd repeats SIGTERM after a while,
 * which changes nothing: what still runs then is taken over by the next process.
 */
function untilStopped(serving: Serving): Promise<number> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = () => {
      if (stopping) return;
      stopping = true;
      const { counted, waiting } = serving.daemon.state();
      log({ msg: 'stopping', running: counted, waiting: waiting.length });
      void serving.stop().then(() => resolve(0));
    };
    void serving.takenOver.then(() => resolve(0));
    process.on('SIGTERM', stop);
    process.on('SIGINT', () => {
      if (stopping) void serving.close().then(() => resolve(0));
      else stop();
    });
    process.on('SIGHUP', () => void serving.reload());
  });
}

function settingsOf(values: ServeFlagValues): PullsConfiguration {
  const { runtime, listen, admin, metrics, limit, services } = values;
  const onFull = values['on-full'];
  const config = values['kubelet-config'];
  const configDir = values['kubelet-config-dir'];
  return {
    ...(runtime !== undefined && { runtime: address('--runtime', runtime, socketPath) }),
    ...(listen !== undefined && { listen: address('--listen', listen, listenSocket) }),
    ...(admin !== undefined && { admin: address('--admin', admin, socketPath) }),
    ...(metrics !== undefined && { metrics: address('--metrics', metrics, metricsAddress) }),
    ...(limit !== undefined && { limit: limit === 'fromKubelet' ? limit : limitOf(limit, '--limit') }),
    ...((config !== undefined || configDir !== undefined) && {
      kubelet: { config: config ?? defaultKubeletConfig, configDir: configDir ?? '' },
    }),
    ...(services !== undefined && { services: oneOf('--services', services, serveFlags.services.choices) }),
    ...(onFull !== undefined && { onFull: { mode: oneOf('--on-full', onFull, serveFlags['on-full'].choices) } }),
  };
}

class UsageError extends Error {
  override readonly name = 'UsageError';
}

function address(flag: string, written: string, read: (written: string) => string): string {
  try {
    return read(written);
  } catch (cause) {
    throw new UsageError(`${flag}: ${(cause as Error).message}`, { cause });
  }
}

function oneOf<T extends string>(flag: string, value: string, words: readonly T[]): T {
  const word = words.find((one) => one === value);
  if (word === undefined) throw new UsageError(`${flag} is "${value}", and can be ${words.join(' or ')}`);
  return word;
}

const expected = ['ConfigurationError', 'ListenError', 'FeatureGateError', 'UsageError'];

function isKnown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return expected.includes(error.name) || ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
}

function log(line: Readonly<Record<string, unknown>>): void {
  process.stderr.write(`${printableJson(JSON.stringify({ time: new Date().toISOString(), ...line }))}\n`);
}
