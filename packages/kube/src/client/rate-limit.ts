import { type Clock, sleep } from '../clock/clock.js';
import { keepProcessAlive } from '../clock/keep-process-alive.js';
import type { Transport } from '../transport/transport.js';
import { TokenBucket } from './token-bucket.js';

/** A transport that sends at most `qps` requests per second on average and `burst` at once; others wait their turn. */
export function rateLimited(transport: Transport, options: { clock: Clock; qps: number; burst: number }): Transport {
  const { clock } = options;
  const bucket = new TokenBucket({ clock, perSecond: options.qps, burst: options.burst });
  const turn = async (signal: AbortSignal | undefined) => {
    const waitMs = bucket.reserve();
    if (waitMs > 0) await keepProcessAlive(sleep(clock, waitMs, signal));
  };
  return {
    async request(request) {
      await turn(request.signal);
      return await transport.request(request);
    },
    async *stream(request, signal) {
      try {
        await turn(signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      yield* transport.stream(request, signal);
    },
  };
}
