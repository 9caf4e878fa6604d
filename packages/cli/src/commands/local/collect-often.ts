import { setFlagsFromString } from 'node:v8';

/**
 * By how many percent the heap of a cluster may grow before it is collected again. Most of what a cluster allocates
 * is garbage soon, and left to itself V8 lets twice as much lie about as lives.
 */
const heapGrowth = 40;

/**
 * Has V8 collect garbage as a program needs it that runs for hours beside others: soon, and each time with some of the
 * pages put together that are half empty. Those come from writes in great number, and left to itself V8 gives them back
 * only to a process that does nothing at all, which a control plane never does.
 */
export function collectOften(): void {
  setFlagsFromString(`--heap-growing-percent=${heapGrowth}`);
  setFlagsFromString('--optimize-for-size');
}
