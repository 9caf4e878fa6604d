import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import {
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

const usage = `Usage: slipway pulls serve [options]

Stand between a kubelet and its container runtime, and let only so many images be pulled at once

Options:
  --runtime <socket>      socket of the runtime (default unix:///run/containerd/containerd.sock)
  --listen <socket>       socket for the kubelet's imageServiceEndpoint, or fd:3 for the one that systemd passes on
                          (default /run/slipway/pulls/image.sock)
  --limit <n>             pulls at once, 0 for no limit, or fromKubelet to read its configuration (default 0)
  --kubelet-config <file> the kubelet's configuration, for --limit fromKubelet
  --on-full <mode>        wait, retry or fail: what a call does while no place is free (default wait)
  --services <which>      cri passes only CRI calls on, all also what else the runtime serves (default all)
  --config <file>         a PullsConfiguration; flags win over it
  --admin <socket>        socket for slipway pulls top and the others (default: the one of --listen and ".admin")
  --metrics <address>     serve /metrics, /healthz and /readyz there, for example 127.0.0.1:9427
  --take-over             take over from the limiter that listens there now, without a failed call
  --feature-gates <gates> ParallelImagePullLimit=false limits nothing
  -h, --help              show this

Examples:
  slipway pulls serve --runtime unix:///run/containerd/containerd.sock --listen /run/pulls.sock --limit 4
  slipway pulls serve --config /etc/slipway/pulls.yaml
`;

const flags = {
  runtime: { type: 'string' },
  listen: { type: 'string' },
  limit: { type: 'string' },
  'kubelet-config': { type: 'string' },
  'on-full': { type: 'string' },
  services: { type: 'string' },
  config: { type: 'string' },
  admin: { type: 'string' },
  metrics: { type: 'string' },
  'feature-gates': { type: 'string' },
  'take-over': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Flags = { readonly [K in keyof typeof flags]?: (typeof flags)[K]['type'] extends 'string' ? string : boolean };

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
    const { values } = parseArgs({ args: [...argv], options: flags, allowPositionals: false });
    if (values.help) {
      process.stdout.write(usage);
      return 0;
    }
    if (!isNewEnough(process.version)) {
      throw new UsageError(`Node.js ${process.version} is too old: ${oldestNode} or later is needed`);
    }
    const config = values.config;
    const featureGates = values['feature-gates'];
    const takeOver = values['take-over'];
    serving = await serve({ flags: settingsOf(values), config, featureGates, takeOver, log });
  } catch (error) {
    const { printableLine } = await import('../../output/printable.js');
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

function settingsOf(values: Flags): PullsConfiguration {
  const { runtime, listen, admin, metrics, limit, services } = values;
  const onFull = values['on-full'];
  const kubelet = values['kubelet-config'];
  return {
    ...(runtime !== undefined && { runtime: socketPath(runtime) }),
    ...(listen !== undefined && { listen: listenSocket(listen) }),
    ...(admin !== undefined && { admin: socketPath(admin) }),
    ...(metrics !== undefined && { metrics: metricsAddress(metrics) }),
    ...(limit !== undefined && { limit: limit === 'fromKubelet' ? limit : limitOf(limit, '--limit') }),
    ...(kubelet !== undefined && { kubelet: { config: kubelet, configDir: '' } }),
    ...(services !== undefined && { services: oneOf('--services', services, ['cri', 'all'] as const) }),
    ...(onFull !== undefined && { onFull: { mode: oneOf('--on-full', onFull, ['wait', 'retry', 'fail'] as const) } }),
  };
}

class UsageError extends Error {
  override readonly name = 'UsageError';
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
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...line })}\n`);
}
