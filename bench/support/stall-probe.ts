/** Loaded into a measured process before its program: says on request how long turns of its event loop took, and what its heap holds. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();

process.on('message', (asked) => {
  process.send?.(asked === 'heap' ? { heapBytes: heapBytes() } : stalls());
});
// Whoever listens for messages would keep the process alive.
process.channel?.unref();

function stalls() {
  // What is recorded is the time between two samples, which come this often when nothing is in the way.
  const ms = (nanos: number) => Math.max(0, nanos / 1e6 - resolutionMs);
  const found = { p999Ms: ms(delays.percentile(99.9)), maxMs: ms(delays.max) };
  delays.reset();
  return found;
}

/** What is left after everything was collected that nobody holds. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
