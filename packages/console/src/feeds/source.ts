import {
  type Informer,
  InformerFactory,
  type Kube,
  type KubeObject,
  type ResourceRef,
  silentLog,
  sleep,
} from '@slipway/kube';
import { type Problem, problemOf } from './problem.js';

const askAgainMs = 2_000;

/**
 * The objects of one kind, kept up to date for everybody who looks; watched from the first look on. Unlike an informer it
 * says why it has nothing, or nothing new: no rights, not installed, out of reach.
 */
export class Source<T extends KubeObject> {
  readonly #kube: Kube;
  readonly #resource: ResourceRef<T>;
  readonly #informers: InformerFactory;
  readonly #stopping = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly informer: Informer<T>;
  #problem: Problem | undefined;
  #isStarted = false;
  #isAsking = false;

  constructor(kube: Kube, resource: ResourceRef<T>, transform?: (object: T) => T) {
    this.#kube = kube;
    this.#resource = resource;
    const watched = kube.through((transport) => ({
      request: async (request) => {
        try {
          const answer = await transport.request(request);
          if (answer.status >= 400 && answer.status !== 410) this.#ask();
          return answer;
        } catch (error) {
          this.#ask();
          throw error;
        }
      },
      stream: (request, signal) => reporting(transport.stream(request, signal), () => this.#ask()),
    }));
    this.#informers = new InformerFactory(watched, { log: silentLog });
    this.informer = this.#informers.informer(resource, transform ? { transform } : {});
  }

  /** Why the objects are not known, or are out of date; undefined while all is well. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** Whether the objects are known, as far as there is no problem. */
  get isKnown(): boolean {
    return this.informer.synced();
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#informers.start();
    void this.informer.whenSynced(this.#stopping.signal).then(
      () => this.#notify(),
      () => {},
    );
  }

  /** Calls `listener` when the objects become known, and when a problem comes, changes or goes. */
  onProblem(listener: () => void): { close(): void } {
    this.#listeners.add(listener);
    return { close: () => void this.#listeners.delete(listener) };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#informers.stop();
  }

  /** Asks for one object until there is an answer, so that what is wrong is known while it is wrong. */
  #ask(): void {
    if (this.#isAsking || this.#stopping.signal.aborted) return;
    this.#isAsking = true;
    void this.#askUntilAnswered().finally(() => {
      this.#isAsking = false;
    });
  }

  async #askUntilAnswered(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#kube.resource(this.#resource).list({ limit: 1, signal });
        this.#settle(undefined);
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#settle(problemOf(error));
      }
      await sleep(this.#kube.clock, askAgainMs, signal).catch(() => {});
    }
  }

  #settle(problem: Problem | undefined): void {
    if (problem?.kind === this.#problem?.kind && problem?.message === this.#problem?.message) return;
    this.#problem = problem;
    this.#notify();
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

async function* reporting<T>(frames: AsyncIterable<T>, failed: () => void): AsyncIterable<T> {
  try {
    yield* frames;
  } catch (error) {
    failed();
    throw error;
  }
}
