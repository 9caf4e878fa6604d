import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { framed, grpcCode, messageText } from '../cri/grpc.js';
import { type PullClock, systemClock } from '../limiter/clock.js';
import { unaryCall } from './unary-call.js';

export interface RuntimeConnectionOptions {
  /** Path of the runtime's unix socket. */
  readonly path: string;
  readonly clock?: PullClock;
  /** The runtime answers calls, for the first time or again. */
  readonly onUp: () => void;
  /** It does not any more. Comes once for each time it was up. */
  readonly onLost: () => void;
}

const streamWindowBytes = 4 << 20;
const sessionWindowBytes = 64 << 20;
const firstRetryMs = 50;
const longestRetryMs = 1_000;
const probeTimeoutMs = 2_000;
const probePath = '/runtime.v1.ImageService/ImageFsInfo';

/**
 * The way to the container runtime: one HTTP/2 session over its unix socket, dialled
 * again when it is lost. A runtime counts as up when it answers a call, because
 * containerd listens before it can.
 */
export class RuntimeConnection {
  readonly #path: string;
  readonly #clock: PullClock;
  readonly #onUp: () => void;
  readonly #onLost: () => void;
  #session: ClientHttp2Session | undefined;
  #up = false;
  #probing = false;
  #retryMs = firstRetryMs;
  #timer: { cancel(): void } | undefined;
  #closed = false;

  constructor({ path, clock = systemClock, onUp, onLost }: RuntimeConnectionOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#onUp = onUp;
    this.#onLost = onLost;
  }

  get up(): boolean {
    return this.#up;
  }

  /** Whether there is a session. A new one may lead to another runtime. */
  get connected(): boolean {
    return this.#session !== undefined && !this.#session.destroyed && !this.#session.closed;
  }

  /** Dials, and keeps dialling until `close()`. */
  start(): void {
    void this.#probe();
  }

  /**
   * Sends a call on, dialling first when there is no session. Failing to reach the
   * runtime is an error of the stream, never thrown.
   */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const session = this.connected && this.#session ? this.#session : this.#dial();
    return session.request(headers, { endStream: false });
  }

  /** Ends calls that run and dials no more. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#session?.destroy();
  }

  #dial(): ClientHttp2Session {
    const session = connect('http://localhost', {
      createConnection: () => connectSocket(this.#path),
      settings: { enablePush: false, initialWindowSize: streamWindowBytes },
      maxSessionMemory: 1_024,
    });
    this.#session = session;
    session.once('connect', () => {
      // It may be closed by the time it is known to be connected.
      if (!session.destroyed) session.setLocalWindowSize(sessionWindowBytes);
    });
    // Streams report the error too, and that is where it is answered.
    session.on('error', () => {});
    session.once('goaway', () => this.#leave(session));
    session.once('close', () => this.#leave(session));
    return session;
  }

  #leave(session: ClientHttp2Session): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    if (this.#closed) return;
    if (this.#up) {
      this.#up = false;
      this.#retryMs = firstRetryMs;
      this.#onLost();
    }
    this.#probeSoon();
  }

  #probeSoon(): void {
    if (this.#closed || this.#probing || this.#up) return;
    this.#timer?.cancel();
    this.#timer = this.#clock.after(this.#retryMs, () => void this.#probe());
    this.#retryMs = Math.min(longestRetryMs, this.#retryMs * 2);
  }

  async #probe(): Promise<void> {
    if (this.#closed || this.#probing) return;
    this.#probing = true;
    const timeout = new AbortController();
    const timer = this.#clock.after(probeTimeoutMs, () => timeout.abort(new Error('no answer')));
    let answered = false;
    try {
      const { trailers } = await unaryCall(this, { ':path': probePath }, framed(new Uint8Array()), timeout.signal);
      answered = isReady(Number(trailers['grpc-status']), messageText(String(trailers['grpc-message'] ?? '')));
    } catch {
      // Not there; the next probe is due soon.
    }
    timer.cancel();
    this.#probing = false;
    if (this.#closed) return;
    if (!answered || !this.#session) {
      this.#probeSoon();
      return;
    }
    this.#retryMs = firstRetryMs;
    this.#up = true;
    this.#onUp();
  }
}

/** Any other failure is an answer of a runtime that works, only not for this call. */
function isReady(status: number, message: string): boolean {
  return status !== grpcCode.unavailable && !/not (yet )?initialized|initialized yet/i.test(message);
}
