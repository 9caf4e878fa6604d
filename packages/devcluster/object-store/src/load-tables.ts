import type { Kept, LogRecord } from './durable-log.js';
import { StoredEntry, storageKey, tombstoneOf } from './entry.js';
import type { EventRing, History, KeptEvent } from './history.js';
import { SortedEntries } from './sorted-entries.js';

/** The present state of one resource and the history that was kept of it. */
export interface KeptTable {
  readonly entries: SortedEntries<StoredEntry>;
  readonly ring: EventRing;
}

/** Replays what was kept: the state and how large it is, the recent events, and the newest revision given out. */
export function loadTables(
  kept: Kept,
  history: History,
  keep: (entry: StoredEntry) => void,
): { tables: Map<string, KeptTable>; revision: number; bytes: number } {
  const tables = new Map<string, KeptTable>();
  for (const [resource, compacted] of kept.compacted)
    tables.set(resource, emptyTable(history.ring(resource, compacted)));
  let revision = 0;
  let bytes = 0;
  for (const record of kept.records) {
    const table = tables.get(record.resource) ?? emptyTable(history.ring(record.resource));
    tables.set(record.resource, table);
    const key = storageKey(record.namespace, record.name);
    const previous = table.entries.get(key);
    const entry = entryOfRecord(record, previous);
    keep(entry);
    if (previous) bytes -= previous.size;
    if (record.kind === 'put') {
      bytes += entry.size;
      table.entries.set(key, entry);
    } else table.entries.delete(key);
    // What lies before the kept history is known as state only, not as events.
    if (record.revision > table.ring.compacted) history.add(table.ring, eventOf(record, entry, previous));
    revision = record.revision;
  }
  return { tables, revision, bytes };
}

/** A resource without objects. */
export function emptyTable(ring: EventRing): KeptTable {
  return { entries: new SortedEntries(), ring };
}

function entryOfRecord(record: LogRecord, previous: StoredEntry | undefined): StoredEntry {
  if (record.json === '' && previous) return tombstoneOf(previous, record.revision);
  return new StoredEntry(record, record.revision, record.json);
}

function eventOf(record: LogRecord, entry: StoredEntry, previous: StoredEntry | undefined): KeptEvent {
  if (record.kind === 'remove') return { type: 'DELETED', entry, ...(previous && { previous }) };
  return previous ? { type: 'MODIFIED', entry, previous } : { type: 'ADDED', entry };
}
