/** Loaded into a measured process before its program: says on request how long turns of its event loop took, and what its heap holds. */
import { openSync, readSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();

process.on('message', (asked) => {
  process.send?.(asked === 'heap' ? { heapBytes: heapBytes() } : asked === 'turns' ? turns() : stalls());
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

let longestTurnNanos: number | undefined;

/** What the main thread computed in its longest turn since the last question. The first question begins to look. */
function turns() {
  if (longestTurnNanos === undefined) lookAtTurns();
  const found = { maxCpuMs: (longestTurnNanos ?? 0) / 1e6 };
  longestTurnNanos = 0;
  return found;
}

function lookAtTurns(): void {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const text = Buffer.alloc(64);
  const cpuNanos = () => Number(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)).split(' ')[0]);
  let before = cpuNanos();
  const timer = setInterval(() => {
    const now = cpuNanos();
    longestTurnNanos = Math.max(longestTurnNanos ?? 0, now - before);
    before = now;
  }, resolutionMs);
  timer.unref();
}

/** What is left after garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
