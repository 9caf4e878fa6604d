/** One pull as the journal keeps it. Never a credential. */
export interface JournalEntry {
  /** When its first caller asked, ISO 8601. */
  readonly askedAt: string;
  readonly image: string;
  readonly registry: string;
  /** The first characters of the key: tells pulls of one image with different credentials apart. */
  readonly key: string;
  readonly pods: readonly string[];
  readonly callers: number;
  readonly waitedMs: number;
  readonly pulledMs: number;
  /** What this pull brought, as it travelled; undefined where the runtime does not say. */
  readonly bytes?: number | undefined;
  readonly layers?: number | undefined;
  readonly outcome: string;
  /** The limit at its end; 0 is none. */
  readonly limit: number;
}

/** An entry as it was written, or undefined when the line is none: truncated, or written by another program. */
export function readEntry(line: string): JournalEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const entry = value as Record<string, unknown>;
  const texts = ['askedAt', 'image', 'registry', 'key', 'outcome'].every((name) => typeof entry[name] === 'string');
  const numbers = ['callers', 'waitedMs', 'pulledMs', 'limit'].every((name) => Number.isFinite(entry[name]));
  return texts && numbers && !Number.isNaN(Date.parse(String(entry.askedAt))) ? (value as JournalEntry) : undefined;
}
