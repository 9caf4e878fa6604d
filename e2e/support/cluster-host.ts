import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import { heapFlags } from '../../tools/heap-flags.js';

const program = fileURLToPath(new URL('host-clusters.mjs', import.meta.url));
/** After so many a fresh process takes over: no test is to depend on what the clusters before it left. */
const clustersEach = 25;

/** A command line that runs in the host, and goes on until it is stopped. */
export interface HostedCommand {
  /** The first that it writes to stdout. Rejects when it ends before. */
  readonly firstAnswer: Promise<string>;
  readonly ended: Promise<number | null>;
  /** What it has written to stderr so far. */
  log(): string;
  stop(): void;
}

interface Message {
  readonly id: number;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly code?: number;
}

let current: ClusterHost | undefined;
let count = 0;

/** Runs `slipway WORDS` in a process that has run others before. The process ends with the one that started it. */
export function hosted(words: readonly string[]): HostedCommand {
  if (!current?.hasRoom) current = new ClusterHost();
  return current.run(words);
}

class ClusterHost {
  readonly #child: ChildProcess;
  readonly #listeners = new Map<number, (message: Message) => void>();
  #room = clustersEach;

  constructor() {
    this.#child = fork(program, {
      env: { ...process.env, NO_COLOR: '1' },
      execArgv: heapFlags,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (message: Message) => this.#listeners.get(message.id)?.(message));
    this.#child.once('exit', (code) => {
      this.#room = 0;
      for (const [id, listener] of this.#listeners) listener({ id, stderr: 'the process ended', code: code ?? 1 });
    });
  }

  get hasRoom(): boolean {
    return this.#room > 0;
  }

  run(words: readonly string[]): HostedCommand {
    this.#room -= 1;
    count += 1;
    const id = count;
    this.#child.ref();
    this.#child.channel?.ref();
    let log = '';
    const told = new EventEmitter();
    this.#listeners.set(id, ({ stdout, stderr, code }) => {
      log += stderr ?? '';
      if (stdout !== undefined) told.emit('answer', stdout);
      if (code === undefined) return;
      this.#forget(id);
      told.emit('end', code);
    });
    const ended = new Promise<number | null>((resolve) => told.once('end', resolve));
    const firstAnswer = new Promise<string>((resolve, reject) => {
      told.once('answer', resolve);
      told.once('end', (code) =>
        reject(new Error(`slipway ${words[0]} ended with ${code} before it was ready: ${log}`)),
      );
    });
    this.#child.send({ id, words });
    const stop = () => {
      if (this.#listeners.has(id)) this.#child.send({ id, stop: true });
    };
    return { firstAnswer, ended, log: () => log, stop };
  }

  /** A test file that has ended does not wait for us; a host that is full ends with its last cluster. */
  #forget(id: number): void {
    this.#listeners.delete(id);
    if (this.#listeners.size > 0) return;
    this.#child.unref();
    this.#child.channel?.unref();
    if (!this.hasRoom && this.#child.connected) this.#child.disconnect();
  }
}
