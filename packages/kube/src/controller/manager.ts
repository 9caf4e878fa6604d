import { setMaxListeners } from 'node:events';
import type { Kube } from '../client/client.js';
import { keepProcessAlive } from '../clock/keep-process-alive.js';
import { type Logger, stderrLog } from '../log/logger.js';
import { InformerFactory } from '../watch/informer-factory.js';
import { Controller } from './controller.js';

/** Something a manager starts and stops. */
export interface Runnable {
  readonly name: string;
  /**
   * Starts it. May return at once, or a promise that lasts as long as the work;
   * it is not awaited, and a rejection is logged. `signal` aborts on stop.
   */
  start(signal: AbortSignal): Promise<void> | void;
  /** Called on stop, after `signal` aborted; waited for. */
  stop?(): Promise<void> | void;
  /** Whether it does its work; taken to be so when absent. */
  ready?(): boolean;
}

export interface ManagerOptions {
  readonly kube: Kube;
  readonly log?: Logger;
  /** How long `stop` waits for work to end; 10 s when absent. */
  readonly stopWithinMs?: number;
}

/** Runs controllers and other work of one process together, over shared informers. */
export class Manager {
  readonly informers: InformerFactory;
  readonly #kube: Kube;
  readonly #log: Logger;
  readonly #stopWithinMs: number;
  readonly #stopping = new AbortController();
  readonly #members: (Controller | Runnable)[] = [];
  readonly #running = new Map<Controller | Runnable, Promise<void>>();
  #isStarted = false;

  constructor(options: ManagerOptions) {
    this.#kube = options.kube;
    this.#log = options.log ?? stderrLog;
    this.#stopWithinMs = options.stopWithinMs ?? 10_000;
    this.informers = new InformerFactory(options.kube, { log: this.#log });
    // All that runs listens to it, with every request it makes: many are no leak.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** Adds work; what is added after `start` starts at once. */
  add(member: Controller | Runnable): void {
    this.#members.push(member);
    if (this.#isStarted) this.#launch(member);
  }

  /** Starts everything, in the order added. Resolves once every controller has its caches filled and works. */
  async start(): Promise<void> {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const started = this.#members.map((member) => ({ member, launched: this.#launch(member) }));
    this.informers.start();
    await Promise.all(started.map(({ member, launched }) => (member instanceof Controller ? launched : undefined)));
  }

  /** Whether everything is started and does its work. */
  ready(): boolean {
    return (
      this.#isStarted &&
      !this.#stopping.signal.aborted &&
      this.#members.every((member) => (member.ready ? member.ready() : true))
    );
  }

  /** Stops everything and waits for it, up to the limit. Informers stop last. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the manager was stopped'));
    const ended = this.#members.map(async (member) => {
      await member.stop?.();
      await this.#running.get(member)?.catch(() => {});
    });
    await this.#withinLimit(Promise.allSettled(ended));
    await this.#withinLimit(this.informers.stop());
  }

  #launch(member: Controller | Runnable): Promise<void> {
    const running = (async () => await member.start(this.#stopping.signal))();
    this.#running.set(member, running);
    running.catch((error: unknown) => {
      if (!this.#stopping.signal.aborted) this.#log.error(`${member.name} failed`, { error });
    });
    return running;
  }

  async #withinLimit(work: Promise<unknown>): Promise<void> {
    let expire = () => {};
    const limit = new Promise<'late'>((resolve) => {
      expire = () => resolve('late');
    });
    const timer = this.#kube.clock.after(this.#stopWithinMs, expire);
    const first = await keepProcessAlive(Promise.race([work, limit])).finally(() => timer.cancel());
    if (first === 'late') this.#log.warn('something did not stop in time', { stopWithinMs: this.#stopWithinMs });
  }
}
