import { Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';

/**
 * By how many percent the heap of a cluster may grow before it is collected again. Most of what a cluster allocates
 * is garbage soon, and left to itself V8 lets twice as much lie about as lives.
 */
const heapGrowth = 40;
/** Until then whoever waited for the cluster asks it their first questions. */
const restMs = 1_000;

/** Has V8 collect garbage as a program needs it that runs for hours beside others. */
export function collectOften(): void {
  setFlagsFromString(`--heap-growing-percent=${heapGrowth}`);
}

/** Gives back, after a moment, what starting took and nobody needs again: V8 would keep it for as long as little happens. */
export function collectSoon(): void {
  setTimeout(() => {
    const session = new Session();
    session.connect();
    const t = performance.now();
    session.post('HeapProfiler.collectGarbage', () => { console.error('gc took', performance.now() - t); session.disconnect(); });
  }, restMs).unref();
}
