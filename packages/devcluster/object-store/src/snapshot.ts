import { type StoredEntry, storageKey } from './entry.js';
import type { EventRing } from './history.js';
import type { SortedEntries } from './sorted-entries.js';

/** What was different at an older revision: the state then by key, undefined where there was none. */
export type Differences = ReadonlyMap<string, StoredEntry | undefined>;

export interface PageOptions {
  readonly namespace?: string | undefined;
  readonly limit?: number | undefined;
  /** Key of the last entry of the page before. */
  readonly after?: string | undefined;
}

export interface Page {
  readonly entries: readonly StoredEntry[];
  readonly next?: string;
  readonly remaining: number;
}

/**
 * Returns the differences of the state at `revision` from the present one, by undoing later events.
 * @throws CompactedError when history does not reach back that far.
 */
export function differencesAt(ring: EventRing, revision: number): Differences {
  const differences = new Map<string, StoredEntry | undefined>();
  for (const { entry, previous } of ring.since(revision)) {
    const key = storageKey(entry.namespace, entry.name);
    if (!differences.has(key)) differences.set(key, previous);
  }
  return differences;
}

/** One page of `entries`, or of what they were before `differences`. */
export function pageOf(
  entries: SortedEntries<StoredEntry>,
  differences: Differences | undefined,
  { namespace, limit, after }: PageOptions,
): Page {
  // '0' is the character after '/': the range holds exactly the keys of the namespace.
  const first = namespace ? `${namespace}/` : '';
  const start = after !== undefined && after >= first ? `${after}\0` : first;
  const end = namespace ? `${namespace}0` : undefined;
  if (!differences || differences.size === 0) {
    const page = take(entries.range(start, end), limit);
    if (!page.last) return { entries: page.entries, remaining: 0 };
    return { entries: page.entries, next: page.last, remaining: entries.count(`${page.last}\0`, end) };
  }
  const page = take(past(entries, differences, start, end), limit);
  if (!page.last) return { entries: page.entries, remaining: 0 };
  return { entries: page.entries, next: page.last, remaining: countThen(entries, differences, `${page.last}\0`, end) };
}

/** How many there were from `start` up to `end`: as many as there are now, but for what came and went since. */
function countThen(
  entries: SortedEntries<StoredEntry>,
  differences: Differences,
  start: string,
  end: string | undefined,
): number {
  let count = entries.count(start, end);
  for (const [key, then] of differences) {
    if (key < start || (end !== undefined && key >= end)) continue;
    count += Number(then !== undefined) - Number(entries.get(key) !== undefined);
  }
  return count;
}

/** The first `limit` of `from`; `last` is the key of the last one when more follow. */
function take(from: Iterable<readonly [string, StoredEntry]>, limit: number | undefined) {
  const entries: StoredEntry[] = [];
  let last = '';
  for (const [key, entry] of from) {
    if (limit !== undefined && limit > 0 && entries.length === limit) return { entries, last };
    entries.push(entry);
    last = key;
  }
  return { entries };
}

function* past(entries: SortedEntries<StoredEntry>, differences: Differences, start: string, end: string | undefined) {
  const gone = [...differences]
    .filter(([key]) => key >= start && (end === undefined || key < end) && entries.get(key) === undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  let at = 0;
  const goneBefore = function* (key: string | undefined) {
    for (; at < gone.length; at += 1) {
      const [goneKey, entry] = gone[at] ?? [''];
      if (key !== undefined && goneKey > key) return;
      if (entry) yield [goneKey, entry] as const;
    }
  };
  for (const [key, current] of entries.range(start, end)) {
    yield* goneBefore(key);
    const entry = differences.has(key) ? differences.get(key) : current;
    if (entry) yield [key, entry] as const;
  }
  yield* goneBefore(undefined);
}
