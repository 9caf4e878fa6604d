/** Of smaller workloads every change is looked at at once. */
const smallest = 100;
const longestMs = 500;

/**
 * How long a workload of so many objects may be left alone after it was looked at, in milliseconds. Each look goes over
 * all of them; while a thousand pods start they change thousands of times.
 */
export function restAfterMs(objects: number): number {
  return objects < smallest ? 0 : Math.min(longestMs, objects / 20);
}
