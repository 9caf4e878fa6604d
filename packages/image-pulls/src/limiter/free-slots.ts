import { counted, type Pull, type PullQueue } from './queue-state.js';

/** Where pulls may run now. */
export interface FreePlaces {
  /** Whether no pull whose image is absent may start, whatever it wishes. */
  isFull(): boolean;
  /** The lane that a pull may start in, if any; remembers that it does. */
  take(pull: Pull, nowMs: number): Pull['lane'] | undefined;
}

/** Computes the free slots; valid while nothing but `take` happens. */
export function freeSlots(queue: Pick<PullQueue, 'limit' | 'settings' | 'running' | 'adopted'>): FreePlaces {
  const { limit, settings, running } = queue;
  let places = counted(queue);
  let confirmed = 0;
  let likely = 0;
  const registries = new Map<string, number>();
  const capped = Object.keys(settings.perRegistry).length > 0;
  const note = (pull: Pull, lane: Pull['lane']) => {
    if (lane === 'place') registries.set(pull.registry, (registries.get(pull.registry) ?? 0) + 1);
    else if (lane === 'present' && pull.presence === 'likely') likely += 1;
    else if (lane === 'present') confirmed += 1;
  };
  for (const pull of running) note(pull, pull.lane);

  const isPresentFree = ({ presence }: Pull) => {
    if (presence === 'absent') return false;
    if (presence !== 'likely') return confirmed < settings.presentLane;
    // A tag may have moved, and then this is a download: one at a time, and none while a stopped one still ends.
    return likely === 0 && (limit === 0 || places <= limit);
  };
  const isRegistryFree = ({ registry }: Pull) => {
    const cap = settings.perRegistry[registry] ?? settings.perRegistry.default ?? 0;
    return cap === 0 || (registries.get(registry) ?? 0) < cap;
  };
  return {
    isFull: () => limit > 0 && places >= limit,
    take(pull, nowMs) {
      const allowed = loosestLimit(pull, limit, nowMs);
      if (allowed < 0) return undefined;
      const hasPlace = places < allowed && !(capped && !isRegistryFree(pull));
      const isBeside = (pull.presence === 'sure' || !hasPlace) && isPresentFree(pull);
      if (!isBeside && !hasPlace) return undefined;
      const lane = isBeside ? 'present' : 'place';
      if (lane === 'place') places += 1;
      note(pull, lane);
      return lane;
    },
  };
}

/** The limit that applies to a pull: that of its caller who asks for the least. Below 0 when no caller wants it now. */
function loosestLimit({ callers }: Pull, limit: number, nowMs: number): number {
  let loosest = -1;
  for (const caller of callers) {
    if (caller.lookEveryMs > 0 && caller.nextLookAtMs > nowMs) continue;
    loosest = Math.max(loosest, Math.min(limit || Infinity, caller.limit || Infinity));
  }
  return loosest;
}
