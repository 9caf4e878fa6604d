import type { Clock } from '@slipway/kube';
import type { StoredEntry } from './entry.js';
import { CompactedError } from './store.js';

/** A durable write and the state it replaced. */
export interface KeptEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly entry: StoredEntry;
  readonly previous?: StoredEntry | undefined;
}

/** How much history is kept. Events go when both the count and the age are exceeded, or when bytes run out. */
export interface HistoryLimits {
  readonly events: number;
  readonly ageMs: number;
  /** For all resources together; the resource that uses most gives first. */
  readonly bytes: number;
}

/**
 * etcd compacts after 5 minutes; an informer that was away for less resumes without listing again. What is older is kept
 * of few events only: of a resource that changes seldom many would take hours to come together, and memory all that time.
 */
export const defaultHistoryLimits: HistoryLimits = { events: 500, ageMs: 5 * 60_000, bytes: 64 * 1024 * 1024 };

/** Of an event without states. */
const eventBytes = 256;

/** So many are forgotten with one write: a write is not to wait for all that came at once. */
const atOnce = 100;

/** Recent events of one resource, oldest first. There are many, so what is known of each stands in lists side by side. */
export class EventRing {
  readonly resource: string;
  /** The newest revision whose event is gone. Snapshots and watches start here at the earliest. */
  compacted: number;
  bytes = 0;
  #types: KeptEvent['type'][] = [];
  #entries: StoredEntry[] = [];
  #previous: (StoredEntry | undefined)[] = [];
  #atMs: number[] = [];
  #first = 0;

  constructor(resource: string, compacted = 0) {
    this.resource = resource;
    this.compacted = compacted;
  }

  get length(): number {
    return this.#entries.length - this.#first;
  }

  /** When the oldest event happened; undefined when there is none. */
  get oldestMs(): number | undefined {
    return this.#atMs[this.#first];
  }

  /** `atMs` in whole milliseconds: other numbers take more room. */
  push({ type, entry, previous }: KeptEvent, atMs: number): void {
    this.#types.push(type);
    this.#entries.push(entry);
    this.#previous.push(previous);
    this.#atMs.push(atMs);
    this.bytes += bytesOf(previous);
  }

  shift(): KeptEvent | undefined {
    if (this.length === 0) return undefined;
    const oldest = this.#at(this.#first);
    this.#first += 1;
    this.bytes -= bytesOf(oldest.previous);
    this.compacted = oldest.entry.revision;
    if (this.#first > 1024 && this.#first * 2 > this.#entries.length) this.#moveUp();
    return oldest;
  }

  /** @throws CompactedError when events after `revision` are gone. */
  since(revision: number): readonly KeptEvent[] {
    if (revision < this.compacted) {
      throw new CompactedError(`too old resource version: ${revision} (${this.compacted})`, this.compacted);
    }
    let low = this.#first;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return Array.from({ length: this.#entries.length - low }, (_, index) => this.#at(low + index));
  }

  #at(index: number): KeptEvent {
    const type = this.#types[index] as KeptEvent['type'];
    const entry = this.#entries[index] as StoredEntry;
    const previous = this.#previous[index];
    return previous ? { type, entry, previous } : { type, entry };
  }

  #moveUp(): void {
    this.#types = this.#types.slice(this.#first);
    this.#entries = this.#entries.slice(this.#first);
    this.#previous = this.#previous.slice(this.#first);
    this.#atMs = this.#atMs.slice(this.#first);
    this.#first = 0;
  }
}

/** What an event keeps in memory, roughly: itself, and the state that only history still holds. */
function bytesOf(previous: StoredEntry | undefined): number {
  return eventBytes + (previous?.size ?? 0);
}

/**
 * Bounds the rings of all resources together. `onForget` hears of every event
 * that leaves, in revision order per resource.
 */
export class History {
  readonly #limits: HistoryLimits;
  readonly #clock: Clock;
  readonly #onForget: (event: KeptEvent) => void;
  readonly #rings: EventRing[] = [];
  #bytes = 0;
  #looked = 0;

  constructor(limits: HistoryLimits, clock: Clock, onForget: (event: KeptEvent) => void) {
    this.#limits = limits;
    this.#clock = clock;
    this.#onForget = onForget;
  }

  ring(resource: string, compacted?: number): EventRing {
    const ring = new EventRing(resource, compacted);
    this.#rings.push(ring);
    return ring;
  }

  add(ring: EventRing, event: KeptEvent): void {
    const nowMs = Math.round(this.#clock.monotonicMs());
    ring.push(event, nowMs);
    this.#bytes += bytesOf(event.previous);

    this.#forgetOld(ring, nowMs, atOnce);
    // Also rings that nothing is added to any more are to let go of what is too old.
    this.#looked += 1;
    const other = this.#rings[this.#looked % this.#rings.length];
    if (other) this.#forgetOld(other, nowMs, atOnce);
    if (this.#bytes > this.#limits.bytes) this.#makeRoom();
  }

  /** Events go when there are more than enough, and they are old. */
  #forgetOld(ring: EventRing, nowMs: number, atMost: number): void {
    for (let gone = 0; gone < atMost && ring.length > this.#limits.events; gone += 1) {
      const { oldestMs } = ring;
      if (oldestMs === undefined || nowMs - oldestMs <= this.#limits.ageMs) return;
      this.#evict(ring);
    }
  }

  /** Goes well below the limit, so that looking for the largest ring is rare. The newest event of a ring stays. */
  #makeRoom(): void {
    while (this.#bytes > this.#limits.bytes * 0.9) {
      const largest = this.#rings.reduce((most, ring) => (ring.bytes > most.bytes ? ring : most));
      if (largest.length <= 1) return;
      const until = largest.bytes * 0.9;
      while (largest.bytes > until && largest.length > 1) this.#evict(largest);
    }
  }

  #evict(ring: EventRing): void {
    const event = ring.shift();
    if (!event) return;
    this.#bytes -= bytesOf(event.previous);
    this.#onForget(event);
  }
}
