import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import type { PullClock } from '../limiter/clock.js';
import { sessionLost } from '../limiter/pull-ask.js';

/** The reason of a hang-up when the deadline of the call is over. */
export const deadlineOver = Symbol('deadline over');

/** The reason of a hang-up when the client cancelled this one call. */
export const callCancelled = Symbol('call cancelled');

/**
 * Aborts when the client no longer waits for an answer on this stream; the reason says
 * how that came. A client that dies or restarts loses its connection, and may come back.
 */
export function hangUpOf(stream: ServerHttp2Stream, clock: PullClock, deadlineMs: number | undefined): AbortSignal {
  const controller = new AbortController();
  const session: Http2Session | undefined = stream.session;
  const timer = deadlineMs === undefined ? undefined : clock.after(deadlineMs, () => controller.abort(deadlineOver));
  stream.once('close', () => {
    timer?.cancel();
    controller.abort(session?.destroyed ? sessionLost : callCancelled);
  });
  return controller.signal;
}
