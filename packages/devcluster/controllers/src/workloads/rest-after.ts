/** Of smaller workloads every change is looked at at once. */
const smallest = 100;
const longestMs = 500;

/**
 * Returns how long to wait between two reconciliations of a workload with so many objects, in milliseconds. Each one
 * goes over all of them, and while a thousand pods start they change thousands of times.
 */
export function restAfterMs(objects: number): number {
  return objects < smallest ? 0 : Math.min(longestMs, objects / 20);
}
