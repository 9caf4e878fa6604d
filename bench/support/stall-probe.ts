/** Loaded into a measured process before its program: says on request how long turns of its event loop took. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();

process.on('message', () => {
  // What is recorded is the time between two samples, which come this often when nothing is in the way.
  const ms = (nanos: number) => Math.max(0, nanos / 1e6 - resolutionMs);
  process.send?.({ p999Ms: ms(delays.percentile(99.9)), maxMs: ms(delays.max) });
  delays.reset();
});
// Whoever listens for messages would keep the process alive.
process.channel?.unref();
