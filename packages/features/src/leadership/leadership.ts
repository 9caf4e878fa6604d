import type { Clock, Informer, ObjectRef, Timer } from '@slipway/kube';
import { oldestVersion } from '../lifecycle/versions.js';
import type { LeaseObject } from '../uses/watch-rosters.js';
import type { Fence } from './fence.js';
import { candidatesOf, leaderOf, type ServerIdentity } from './leader.js';
import { deadAfterMs, serverOf } from './server-lease.js';

export interface LeadershipDeps {
  readonly self: ServerIdentity;
  /** Name of this server's own lease. */
  readonly lease: string;
  /** Leases of all feature servers, this one's among them. */
  readonly leases: Informer<LeaseObject>;
  readonly fence: Fence;
  readonly clock: Clock;
}

/** After this long what only it did not know need not be held back any more. */
const goneAfterMs = 60_000;
/** Renewals of one's own come back every 5 s while the watch works. */
const blindAfterMs = 10_000;
/** What is left of a server that was killed is cleared away after this long, as Kubernetes does with API servers. */
const abandonedAfterMs = 3_600_000;
/** Who leads anew waits this long, so that what the one before had under way has landed. */
const settleMs = 5_000;

/** Who could lead for a time; the last view lasts. */
interface View {
  readonly candidates: readonly string[];
  endedMs?: number;
}

/** A lease that no server renews, as it was last seen. */
export interface AbandonedLease {
  readonly name: string;
  readonly resourceVersion: string;
}

/** A server, and when its lease was last seen to change, on the clock of this one. */
interface Seen extends ServerIdentity {
  readonly renewTime: string | undefined;
  readonly resourceVersion: string;
  readonly changedMs: number;
}

/**
 * Which Features this server leads. Everybody sees the same leases and works out
 * the same leaders, so servers need not agree. For moments two servers may each
 * believe to lead; then they do work twice, and every write is checked anyway.
 */
export class Leadership {
  readonly #deps: LeadershipDeps;
  /** Servers by the name of their lease, this one among them. */
  readonly #seen = new Map<string, Seen>();
  /** Leases of servers that have stopped in order, by name. */
  readonly #released = new Map<string, AbandonedLease>();
  readonly #listeners = new Set<() => void>();
  #views: View[] = [];
  #hadPeers = false;
  #told = '';
  #timer: Timer | undefined;

  constructor(deps: LeadershipDeps) {
    this.#deps = deps;
    deps.leases.onChange(({ type, object }) => {
      this.#note(object, type === 'deleted');
      this.#look();
    });
  }

  /** Whether this server may act on a Feature: it leads it now, and has for long enough. */
  leads(ref: ObjectRef): boolean {
    this.#look();
    const { holder } = this.#deps.self;
    return this.#views.every(({ candidates }) => leaderOf(candidates, ref) === holder);
  }

  /** Calls back when this server may lead other Features than before, or other servers live than before. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** The newest minor version of Kubernetes that every server knows which lives, or did until a minute ago. */
  catalogue(): string {
    const { catalogue } = this.#deps.self;
    return oldestVersion([catalogue, ...this.#peersWithin(goneAfterMs).map((peer) => peer.catalogue)]) ?? catalogue;
  }

  /** Whether this server knows every gate that some server which lives brings a definition of. */
  knowsAll(): boolean {
    return this.#peersWithin(goneAfterMs).every(({ known }) => known === this.#deps.self.known);
  }

  /** Leases that were not renewed for an hour, and those of servers that have stopped in order. */
  abandoned(): readonly AbandonedLease[] {
    const nowMs = this.#deps.clock.monotonicMs();
    const expired = [...this.#seen].filter(([, { changedMs }]) => nowMs - changedMs > abandonedAfterMs);
    return [
      ...this.#released.values(),
      ...expired.map(([name, { resourceVersion }]): AbandonedLease => ({ name, resourceVersion })),
    ];
  }

  /** How many feature servers live, this one among them unless it is out of touch. */
  servers(): number {
    return this.#peersWithin(deadAfterMs).length + (this.#deps.fence.isUp ? 0 : 1);
  }

  /** Nothing is watched any more. */
  stop(): void {
    this.#timer?.cancel();
    this.#listeners.clear();
  }

  #note(lease: LeaseObject, isDeleted: boolean): void {
    const { self, lease: own, clock } = this.#deps;
    const key = lease.metadata.name ?? '';
    const { resourceVersion = '' } = lease.metadata;
    const server = { ...serverOf(lease), renewTime: lease.spec.renewTime, resourceVersion };
    const before = this.#seen.get(key);
    const isReleased = !isDeleted && server.holder === '';
    if (isReleased) this.#released.set(key, { name: key, resourceVersion });
    else this.#released.delete(key);
    if (isDeleted || isReleased) this.#seen.delete(key);
    else if (before?.holder !== server.holder || before.renewTime !== server.renewTime) {
      this.#seen.set(key, { ...server, changedMs: clock.monotonicMs() });
    } else this.#seen.set(key, { ...before, resourceVersion });
    // Once its own lease is seen, whatever was written before it has been seen too: the peers are known.
    if (key !== own) this.#hadPeers ||= !isDeleted && !isReleased;
    else if (server.holder !== self.holder) this.#seen.delete(key);
  }

  /** Brings what is known of the present up to date, and tells everybody when it is something new. */
  #look(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    const candidates = this.#candidates();
    const last = this.#views.at(-1);
    if (!last || last.candidates.join() !== candidates.join()) {
      if (last) last.endedMs = nowMs;
      this.#views.push({ candidates });
    }
    this.#views = this.#views.filter(({ endedMs }) => endedMs === undefined || !this.#isPast(endedMs, nowMs));
    this.#wakeIn(this.#nextMs(nowMs));
    const news = [this.catalogue(), this.knowsAll(), ...this.#views.map((view) => view.candidates)].join(' ');
    if (news === this.#told) return;
    this.#told = news;
    for (const listener of this.#listeners) listener();
  }

  /** What a server that was always alone did not lead had no leader. */
  #isPast(endedMs: number, nowMs: number): boolean {
    return endedMs + settleMs <= nowMs || (!this.#hadPeers && this.#seesItself() && !this.#deps.fence.isUp);
  }

  #candidates(): readonly string[] {
    if (!this.#seesItself() || this.#deps.fence.isUp) return [];
    return [...candidatesOf([this.#deps.self, ...this.#peersWithin(deadAfterMs)])].sort();
  }

  /** A server that does not see its own renewals sees none of the others either: it must not call them dead. */
  #seesItself(): boolean {
    const own = this.#seen.get(this.#deps.lease);
    return own !== undefined && this.#deps.clock.monotonicMs() - own.changedMs < blindAfterMs;
  }

  #peersWithin(ms: number): readonly Seen[] {
    const nowMs = this.#deps.clock.monotonicMs();
    return this.#peers().filter(({ changedMs }) => nowMs - changedMs < ms);
  }

  #peers(): readonly Seen[] {
    return [...this.#seen].flatMap(([key, seen]) => (key === this.#deps.lease ? [] : [seen]));
  }

  /** Neither a lease that is not renewed nor the end of a wait causes an event. */
  #nextMs(nowMs: number): number {
    const ends = [
      ...this.#views.flatMap(({ endedMs }) => (endedMs === undefined ? [] : [endedMs + settleMs])),
      ...this.#peers().flatMap(({ changedMs }) => [changedMs + deadAfterMs, changedMs + goneAfterMs]),
    ];
    return Math.min(...ends.map((endMs) => endMs - nowMs).filter((ms) => ms > 0));
  }

  #wakeIn(ms: number): void {
    this.#timer?.cancel();
    this.#timer = ms === Number.POSITIVE_INFINITY ? undefined : this.#deps.clock.after(ms, () => this.#look());
  }
}
