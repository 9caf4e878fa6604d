import { spawn } from 'node:child_process';
import type { Clock } from '../clock/clock.js';
import { type ExecCredential, parseExecCredential } from './exec-credential.js';
import type { ChosenContext, Entry } from './kubeconfig.js';
import { KubeconfigError } from './kubeconfig-error.js';
import { SignInError } from './sign-in-error.js';

/** What a plugin takes from the process that runs it. */
export interface PluginHost {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether standard input is a terminal, so that a plugin may ask the user. */
  readonly isTerminal: boolean;
}

/** The credentials of one plugin: kept until they expire or the server rejects them. */
export interface ExecPlugin {
  /** @throws SignInError */
  credential(): Promise<ExecCredential>;
  rejected(): void;
}

/** The cluster as `KUBERNETES_EXEC_INFO` describes it to plugins that want to know. */
export type ExecCluster = Readonly<Record<string, unknown>>;

interface Plugin {
  readonly contextName: string;
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint: string;
  readonly mode: InteractiveMode;
  /** Undefined unless the plugin asked for it. */
  readonly cluster: ExecCluster | undefined;
}

type InteractiveMode = (typeof interactiveModes)[number];

const group = 'client.authentication.k8s.io';
const versions: readonly unknown[] = [`${group}/v1`, `${group}/v1beta1`];
const interactiveModes = ['Never', 'IfAvailable', 'Always'] as const;

/**
 * Signs in with the `exec` entry of a user, as kubectl does: one run at a time, at the first request.
 * @throws KubeconfigError when kubectl would not accept the entry
 */
export function execPlugin(context: ChosenContext, cluster: ExecCluster, clock: Clock, host: PluginHost): ExecPlugin {
  const plugin = pluginOf(context, cluster);
  let last: ExecCredential | undefined;
  let running: Promise<ExecCredential> | undefined;
  const isFresh = ({ expiresAtMs }: ExecCredential) => expiresAtMs === undefined || clock.now() < expiresAtMs;
  const renew = async () => {
    try {
      last = await runPlugin(plugin, host);
      return last;
    } finally {
      running = undefined;
    }
  };
  return {
    async credential() {
      if (last && isFresh(last)) return last;
      running ??= renew();
      return await running;
    },
    rejected() {
      last = undefined;
    },
  };
}

function pluginOf({ name, user, cluster: entry }: ChosenContext, cluster: ExecCluster): Plugin {
  const { exec } = user;
  const refuse = (problem: string, hint: string) =>
    new KubeconfigError(`the user of context "${name}" cannot sign in: ${problem}`, { hint });
  if (user['auth-provider']) throw refuse('it has both exec and auth-provider', 'remove auth-provider from the user');
  const { apiVersion, command, args, env, installHint, interactiveMode, provideClusterInfo } = exec as Entry;
  if (!versions.includes(apiVersion)) {
    throw refuse(`exec.apiVersion is ${JSON.stringify(apiVersion)}`, `set exec.apiVersion to ${versions.join(' or ')}`);
  }
  if (typeof command !== 'string' || command === '') {
    throw refuse('exec.command is missing', 'set exec.command to the program that signs in');
  }
  // v1beta1 has a default, v1 has none.
  const mode = interactiveMode ?? (apiVersion === versions[0] ? undefined : 'IfAvailable');
  if (!isMode(mode)) {
    throw refuse(
      `exec.interactiveMode is ${JSON.stringify(mode) ?? 'missing'}`,
      `set exec.interactiveMode to one of ${interactiveModes.join(', ')}`,
    );
  }
  const words = args ?? [];
  if (!Array.isArray(words) || words.some((word) => typeof word !== 'string')) {
    throw refuse('exec.args must be a list of strings', 'put each argument in quotes');
  }
  const variables = env ?? [];
  if (!Array.isArray(variables) || !variables.every(isVariable)) {
    throw refuse('exec.env must be a list of name and value', 'write each variable as {name: NAME, value: "VALUE"}');
  }
  return {
    contextName: name,
    apiVersion: apiVersion as string,
    command,
    args: words,
    env: Object.fromEntries(variables.map(({ name, value }) => [name, value ?? ''])),
    installHint: typeof installHint === 'string' ? installHint.replace(/\s+/g, ' ').trim() : '',
    mode,
    cluster: provideClusterInfo === true ? { ...cluster, ...configOf(entry) } : undefined,
  };
}

/** The settings that a cluster entry holds for plugins. */
function configOf({ extensions }: Entry): { readonly config?: unknown } {
  const list: readonly Entry[] = Array.isArray(extensions) ? extensions : [];
  const found = list.find((one) => one?.name === `${group}/exec`);
  return found ? { config: found.extension } : {};
}

async function runPlugin(plugin: Plugin, host: PluginHost): Promise<ExecCredential> {
  const { apiVersion, cluster, mode, contextName, command } = plugin;
  const refuse = (problem: string, hint: string, cause?: unknown) =>
    new SignInError(`cannot sign in to context "${contextName}": the credential plugin ${command} ${problem}`, hint, {
      cause,
    });
  if (mode === 'Always' && !host.isTerminal) {
    throw refuse('needs a terminal, and standard input is none', 'run the command in a terminal, with input from it');
  }
  const interactive = mode !== 'Never' && host.isTerminal;
  const info = { kind: 'ExecCredential', apiVersion, spec: { ...(cluster ? { cluster } : {}), interactive } };
  const env = { ...host.environment, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  const ended = await outputOf(command, plugin.args, env, interactive).catch((error: NodeJS.ErrnoException) => {
    const problem = error.code === 'ENOENT' ? 'was not found' : `cannot be run: ${error.message}`;
    throw refuse(problem, plugin.installHint || `install ${command}, or put its folder on the PATH`, error);
  });
  if (ended.how !== 'code 0') {
    throw refuse(`failed with ${ended.how}`, `run ${command} by itself to see why; the login may have expired`);
  }
  try {
    return await parseExecCredential(ended.output, apiVersion);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw refuse(error.message, `correct or update ${command}`, error);
  }
}

/** Runs a program; what it writes to stderr is for the user. Rejects when it cannot be started. */
function outputOf(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  interactive: boolean,
): Promise<{ readonly how: string; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'] });
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ how: signal ? `signal ${signal}` : `code ${code}`, output: Buffer.concat(parts).toString('utf8') });
    });
  });
}

function isMode(value: unknown): value is InteractiveMode {
  return interactiveModes.includes(value as InteractiveMode);
}

function isVariable(value: unknown): value is { readonly name: string; readonly value?: string } {
  const { name, value: text = '' } = (value ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && name !== '' && typeof text === 'string';
}
