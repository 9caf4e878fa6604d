import { framed, unframed } from '../cri/grpc.js';
import { hasDigest } from '../cri/image-reference.js';
import { type ImageStatus, imageStatusRequest, readImageStatusResponse } from '../cri/image-status.js';
import type { PullImageRequest } from '../cri/pull-image-request.js';
import type { PullClock } from '../limiter/clock.js';
import type { Presence } from '../limiter/queue-state.js';
import { type CallOpener, unaryCall } from '../runtime/unary-call.js';

const statusTimeoutMs = 2_000;
const maxRecent = 4_096;

/** What the runtime has of an image that is asked for, and how sure that is. */
export interface Seen {
  readonly presence: Presence;
  readonly status: ImageStatus | undefined;
}

export const notSeen: Seen = { presence: 'absent', status: undefined };

/** Asks the runtime which images are there, and remembers which tags the registry has just confirmed. */
export class PresenceOracle {
  readonly #runtime: CallOpener;
  readonly #clock: PullClock;
  readonly #recent = new Map<string, number>();

  constructor(options: { readonly runtime: CallOpener; readonly clock: PullClock }) {
    this.#runtime = options.runtime;
    this.#clock = options.clock;
  }

  /** `pullPath` says the version of CRI. Not knowing counts as not having it. */
  async ask(pullPath: string, request: PullImageRequest, recentMs: number): Promise<Seen> {
    const timeout = new AbortController();
    const timer = this.#clock.after(statusTimeoutMs, () => timeout.abort(new Error('no status in time')));
    try {
      const path = pullPath.replace(/PullImage$/, 'ImageStatus');
      const message = framed(imageStatusRequest(request.imageSpec));
      const { body } = await unaryCall(this.#runtime, { ':path': path }, message, timeout.signal);
      const answered = unframed(body);
      const status = answered && readImageStatusResponse(answered);
      return status ? { status, presence: this.#presenceOf(request, recentMs) } : notSeen;
    } catch {
      return notSeen;
    } finally {
      timer.cancel();
    }
  }

  /** The registry has confirmed a reference. */
  confirmed(request: PullImageRequest): void {
    const name = nameOf(request);
    this.#recent.delete(name);
    this.#recent.set(name, this.#clock.monotonicMs());
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= maxRecent) break;
      this.#recent.delete(oldest);
    }
  }

  #presenceOf(request: PullImageRequest, recentMs: number): Presence {
    if (hasDigest(request.image)) return 'sure';
    const confirmedAtMs = this.#recent.get(nameOf(request)) ?? -Infinity;
    return this.#clock.monotonicMs() - confirmedAtMs < recentMs ? 'recent' : 'likely';
  }
}

function nameOf({ image, runtimeHandler }: PullImageRequest): string {
  return `${image}|${Buffer.from(runtimeHandler).toString('hex')}`;
}
