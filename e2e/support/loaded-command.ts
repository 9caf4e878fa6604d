import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './slipway.js';

const entry = fileURLToPath(new URL('answer-commands.mjs', import.meta.url));
/** Those that ask and answer. The others go on, or are about processes. */
const nouns = ['feature', 'upgrade', 'node', 'kep', 'install', 'uninstall'];
const verbsSeen = new Set<string>();
const processes = new Set<LoadedCommand>();

/**
 * The process with the built command already loaded that may answer `words`: to load it is nine tenths of what a command costs.
 * Undefined the first time that a test file uses a verb, so that each shows that it ends, and how, in a process of its own.
 */
export function loadedCommand(words: readonly string[], env: NodeJS.ProcessEnv = {}): LoadedCommand | undefined {
  const [noun = '', verb = ''] = words;
  if (!nouns.includes(noun)) return undefined;
  if (!verbsSeen.has(`${noun} ${verb}`)) {
    verbsSeen.add(`${noun} ${verb}`);
    return undefined;
  }
  const key = JSON.stringify(env);
  const all = [...processes].filter(({ nodeOptions }) => nodeOptions === env.NODE_OPTIONS);
  const found = all.find((one) => one.environment === key) ?? all.find((one) => one.isIdle);
  const chosen = found ?? new LoadedCommand(env.NODE_OPTIONS);
  chosen.environment = key;
  return chosen;
}

/** A process that runs one command line after the other, or several at once. Ends with the one that started it. */
export class LoadedCommand {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();
  #asked = 0;
  readonly nodeOptions: string | undefined;
  /** What the environment of its commands has besides ours, as JSON. Only an idle one may be given another. */
  environment = '{}';

  constructor(nodeOptions: string | undefined) {
    this.nodeOptions = nodeOptions;
    processes.add(this);
    this.#child = fork(entry, {
      env: { ...process.env, NO_COLOR: '1', ...(nodeOptions !== undefined && { NODE_OPTIONS: nodeOptions }) },
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', ({ id, ...outcome }: Outcome & { id: number }) => {
      this.#waiting.get(id)?.(outcome);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#letGo();
    });
    this.#child.once('exit', (code) => {
      processes.delete(this);
      for (const answer of this.#waiting.values()) answer({ code, stdout: '', stderr: 'the process ended' });
      this.#waiting.clear();
    });
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  /** Runs a command to its end; within `timeoutMs`, or all that runs here is killed. */
  run(words: readonly string[], timeoutMs: number): Promise<Outcome> {
    this.#asked += 1;
    const id = this.#asked;
    this.#child.ref();
    this.#child.channel?.ref();
    const hangs = setTimeout(() => this.#child.kill('SIGKILL'), timeoutMs);
    return new Promise<Outcome>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.send({ id, words, environment: JSON.parse(this.environment) });
    }).finally(() => clearTimeout(hangs));
  }

  /** A test file that has ended does not wait for us. */
  #letGo(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}
