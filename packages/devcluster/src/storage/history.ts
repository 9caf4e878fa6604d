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

/** etcd compacts after 5 minutes; an informer that was away for less resumes without listing again. */
export const defaultHistoryLimits: HistoryLimits = { events: 10_000, ageMs: 5 * 60_000, bytes: 64 * 1024 * 1024 };

/** Approximate cost of an event beyond the states only history still holds. */
const eventBytes = 256;

/** So many are forgotten with one write: a write is not to wait for all that came at once. */
const atOnce = 100;

/** One object each, for there are many; whole milliseconds take less than others. */
interface Dated extends KeptEvent {
  readonly atMs: number;
  readonly bytes: number;
}

/** Recent events of one resource, oldest first. */
export class EventRing {
  readonly resource: string;
  /** The newest revision whose event is gone. Snapshots and watches start here at the earliest. */
  compacted: number;
  bytes = 0;
  #events: Dated[] = [];
  #first = 0;

  constructor(resource: string, compacted = 0) {
    this.resource = resource;
    this.compacted = compacted;
  }

  get length(): number {
    return this.#events.length - this.#first;
  }

  get oldest(): Dated | undefined {
    return this.#events[this.#first];
  }

  push(dated: Dated): void {
    this.#events.push(dated);
    this.bytes += dated.bytes;
  }

  shift(): Dated | undefined {
    const oldest = this.#events[this.#first];
    if (!oldest) return undefined;
    this.#first += 1;
    this.bytes -= oldest.bytes;
    this.compacted = oldest.entry.revision;
    if (this.#first > 1024 && this.#first * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#first);
      this.#first = 0;
    }
    return oldest;
  }

  /** @throws CompactedError when events after `revision` are gone. */
  since(revision: number): readonly KeptEvent[] {
    if (revision < this.compacted) {
      throw new CompactedError(`too old resource version: ${revision} (${this.compacted})`, this.compacted);
    }
    let low = this.#first;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.entry.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low);
  }
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
    const bytes = eventBytes + (event.previous?.size ?? 0);
    ring.push({ type: event.type, entry: event.entry, previous: event.previous, atMs: nowMs, bytes });
    this.#bytes += bytes;

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
      const { oldest } = ring;
      if (!oldest || nowMs - oldest.atMs <= this.#limits.ageMs) return;
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
    const dated = ring.shift();
    if (!dated) return;
    this.#bytes -= dated.bytes;
    this.#onForget(dated);
  }
}
