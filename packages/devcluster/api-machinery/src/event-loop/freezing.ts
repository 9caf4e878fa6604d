import type { Resumable } from './resumable.js';

/** Parts that are looked at between two rests. */
const betweenRests = 1_000;

/** Freezes a JSON value with all that is in it. Fields without a value, which JSON leaves out, go. */
export function* freezing(value: object): Resumable<void> {
  const waiting: object[] = [value];
  let looks = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (Object.isFrozen(next)) continue;
    const fields = next as Record<string, unknown>;
    for (const key in fields) {
      const part = fields[key];
      if (typeof part === 'object' && part !== null) waiting.push(part);
      else if (part === undefined) delete fields[key];
      if (++looks % betweenRests === 0) yield;
    }
    Object.freeze(next);
  }
}
