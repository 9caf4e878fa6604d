import fc from 'fast-check';
import { expect, test } from 'vitest';
import { step } from './pull-queue.js';
import {
  type Caller,
  counted,
  defaultQueueSettings,
  emptyQueue,
  type Presence,
  type Pull,
  type PullQueue,
  type QueueEvent,
  type QueueSettings,
} from './queue-state.js';

/** Times are in units, so that different things happen at the same moment. */
const unitMs = 500;

const settings: QueueSettings = {
  ...defaultQueueSettings,
  maxWaiting: 6,
  presentLane: 1,
  presentTripMs: 2 * unitMs,
  abortTimeoutMs: 3 * unitMs,
  sessionGraceMs: 4 * unitMs,
  runtimeLostGraceMs: 6 * unitMs,
  refusalMemoryMs: 5 * unitMs,
  perRegistry: { slow: 1 },
  onStall: 'release',
};

/** One word of a story. `n` picks among the callers or pulls there are. */
type Word =
  | { do: 'ask'; image: number; secret: number; presence: Presence; patience: number; looks: boolean; option: number }
  | { do: 'hang up'; n: number; session: boolean }
  | { do: 'end' | 'downloads' | 'stalled' | 'moved'; n: number }
  | { do: 'limit'; to: number }
  | { do: 'lose' | 'back' | 'pause' | 'resume' | 'govern' | 'free' | 'tick' | 'adopt' | 'adopted ends' | 'drain' }
  | { do: 'gone'; pod: number };

const word: fc.Arbitrary<Word> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      image: fc.nat(4),
      secret: fc.nat(1),
      presence: fc.constantFrom<Presence>('absent', 'absent', 'absent', 'likely', 'recent', 'sure'),
      patience: fc.constantFrom(Infinity, Infinity, 0, 3, 8),
      looks: fc.boolean(),
      option: fc.constantFrom(0, 0, 0, 1, 2, 5),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('hang up' as const), n: fc.nat(20), session: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('end' as const), n: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('downloads', 'stalled', 'moved'), n: fc.nat(20) }) as fc.Arbitrary<Word>,
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), to: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('gone' as const), pod: fc.nat(3) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'lose',
        'back',
        'back',
        'pause',
        'resume',
        'resume',
        'govern',
        'free',
        'free',
        'tick',
        'adopt',
        'adopted ends',
      ),
    }) as fc.Arbitrary<Word>,
  },
);
const story = fc.array(fc.tuple(fc.nat(3), word), { maxLength: 60 });

/** What both sides are told. Picks refer to the real queue's lists, so that both hear the same thing. */
function happenedOf(said: Word, queue: PullQueue, nextCaller: () => number, nowMs: number): QueueEvent | undefined {
  const pulls = [...queue.running, ...queue.waiting];
  switch (said.do) {
    case 'ask': {
      const { image, secret, presence, patience, looks, option } = said;
      const lookEveryMs = looks && patience !== Infinity ? 3 * unitMs : 0;
      const giveUpAtMs = nowMs + patience * unitMs || nowMs;
      const caller: Caller = {
        id: nextCaller(),
        podUid: `pod-${image % 4}`,
        askedAtMs: nowMs,
        giveUpAtMs: patience === Infinity ? Infinity : giveUpAtMs,
        limit: option,
        lookEveryMs,
        nextLookAtMs: nowMs,
      };
      const registry = image === 0 || image === 1 ? 'slow' : 'fast';
      return { kind: 'asked', key: `${image}/${secret}`, image: `${image}`, registry, presence, caller };
    }
    case 'hang up': {
      const callers = pulls.flatMap((pull) => pull.callers);
      const caller = callers[said.n % Math.max(1, callers.length)];
      return caller && { kind: 'hungUp', callerId: caller.id, with: said.session ? 'session' : 'call' };
    }
    case 'end': {
      const pull = queue.running[said.n % Math.max(1, queue.running.length)];
      return pull && { kind: 'ended', pullId: pull.id };
    }
    case 'downloads':
    case 'stalled':
    case 'moved': {
      const pull = queue.running[said.n % Math.max(1, queue.running.length)];
      return pull && { kind: said.do, pullId: pull.id, idleMs: 1 };
    }
    case 'limit':
      return { kind: 'limitSet', limit: said.to };
    case 'lose':
      return { kind: 'runtimeLost' };
    case 'back':
      return { kind: 'runtimeBack' };
    case 'pause':
    case 'resume':
      return { kind: 'pausedSet', paused: said.do === 'pause' };
    case 'govern':
    case 'free':
      return { kind: 'governedSet', governed: said.do === 'govern' };
    case 'adopt':
      return { kind: 'adopted', ids: ['x', 'y'] };
    case 'adopted ends':
      return { kind: 'adoptedEnded', id: queue.adopted[0] ?? 'none' };
    case 'gone':
      return { kind: 'podsGone', uids: [`pod-${said.pod}`] };
    case 'drain':
      return { kind: 'drained' };
    case 'tick':
      return { kind: 'ticked' };
  }
}

/**
 * The same rules, as slowly and plainly as they can be written: one list of wishes,
 * looked through from the start again after every single change, at every unit of time.
 */
class NaiveQueue {
  limit: number;
  readonly did: string[] = [];
  #wishes: { readonly caller: Caller; pull: NaivePull }[] = [];
  #pulls: NaivePull[] = [];
  #adopted: string[] = [];
  #refused: { pod: string | undefined; image: string; untilMs: number }[] = [];
  #lostAtMs: number | undefined;
  #paused = false;
  #governed = false;
  #nextId = 1;

  constructor(limit: number) {
    this.limit = limit;
  }

  tell(happened: QueueEvent, nowMs: number): void {
    this.#hear(happened, nowMs);
    this.#passTime(nowMs);
    while (this.#startOne(nowMs));
    this.#tooLong(happened);
    this.#giveUp(nowMs);
  }

  #wanting = (pull: NaivePull) => this.#wishes.filter((wish) => wish.pull === pull).map(({ caller }) => caller);

  #hear(happened: QueueEvent, nowMs: number): void {
    if (happened.kind === 'asked') {
      const { key, image, registry, presence } = happened;
      let { caller } = happened;
      const known = this.#refused.some(
        (one) => one.pod === caller.podUid && one.image === image && one.untilMs > nowMs,
      );
      if (known && caller.giveUpAtMs !== Infinity) caller = { ...caller, giveUpAtMs: nowMs };
      let pull = this.#pulls.find((one) => one.key === key && one.state !== 'abandoned');
      if (!pull) {
        const what = { key, image, registry, presence, askedAtMs: nowMs, sinceMs: nowMs };
        pull = { ...what, id: this.#nextId++, state: 'waiting', lane: 'place' };
        this.#pulls.push(pull);
      }
      delete pull.keepUntilMs;
      this.#wishes.push({ caller, pull });
    }
    if (happened.kind === 'hungUp') {
      const wish = this.#wishes.find(({ caller }) => caller.id === happened.callerId);
      if (!wish) return;
      this.#wishes = this.#wishes.filter((other) => other !== wish);
      if (this.#wanting(wish.pull).length > 0) return;
      if (happened.with === 'session') wish.pull.keepUntilMs = nowMs + settings.sessionGraceMs;
      else this.#leave(wish.pull, nowMs);
    }
    if (happened.kind === 'ended') {
      const pull = this.#pulls.find(({ id }) => id === happened.pullId);
      if (!pull) return;
      for (const caller of this.#wanting(pull)) this.did.push(`ok ${caller.id}`);
      this.#forget(pull);
    }
    if (happened.kind === 'downloads' || happened.kind === 'stalled' || happened.kind === 'moved') {
      const pull = this.#pulls.find(({ id }) => id === happened.pullId);
      if (!pull) return;
      const runs = pull.state === 'running';
      if (happened.kind === 'downloads' && runs && pull.lane === 'beside') this.#again(pull, nowMs);
      if (happened.kind === 'stalled' && runs && pull.lane === 'place') {
        pull.stalled = true;
        pull.lane = 'released';
      }
      if (happened.kind === 'moved' && pull.stalled) {
        pull.stalled = false;
        pull.lane = 'place';
      }
    }
    if (happened.kind === 'limitSet') this.limit = happened.limit;
    if (happened.kind === 'runtimeLost') this.#lostAtMs ??= nowMs;
    if (happened.kind === 'runtimeBack') this.#lostAtMs = undefined;
    if (happened.kind === 'pausedSet') this.#paused = happened.paused;
    if (happened.kind === 'governedSet') this.#governed = happened.governed;
    if (happened.kind === 'adopted') this.#adopted = [...happened.ids];
    if (happened.kind === 'adoptedEnded') this.#adopted = this.#adopted.filter((id) => id !== happened.id);
    if (happened.kind === 'podsGone') {
      this.#refuse(({ caller }) => happened.uids.includes(caller.podUid ?? ''), 'PodGone');
    }
  }

  #leave(pull: NaivePull, nowMs: number): void {
    if (pull.state === 'waiting') {
      this.#forget(pull);
      return;
    }
    pull.state = 'abandoned';
    pull.sinceMs = nowMs;
    delete pull.keepUntilMs;
    this.did.push(`abort ${pull.id}`);
  }

  /** What was verified beside the slots waits again, where its time puts it, and is stopped. */
  #again(pull: NaivePull, nowMs: number): void {
    const again: NaivePull = { ...pull, id: this.#nextId++, presence: 'absent', state: 'waiting', lane: 'place' };
    delete again.startedAtMs;
    for (const wish of this.#wishes) if (wish.pull === pull) wish.pull = again;
    const before = this.#pulls.filter(({ state }) => state === 'waiting');
    const next = before.find(({ askedAtMs }) => askedAtMs > pull.askedAtMs);
    this.#pulls.splice(next ? this.#pulls.indexOf(next) : this.#pulls.length, 0, again);
    pull.lane = 'place';
    this.#leave(pull, nowMs);
  }

  #forget(pull: NaivePull): void {
    this.#pulls = this.#pulls.filter((other) => other !== pull);
    this.#wishes = this.#wishes.filter((wish) => wish.pull !== pull);
  }

  #passTime(nowMs: number): void {
    for (const pull of [...this.#pulls]) {
      if (pull.state === 'abandoned' && nowMs - pull.sinceMs >= settings.abortTimeoutMs) {
        this.did.push(`forced ${pull.id}`);
        this.#forget(pull);
      }
      if (pull.keepUntilMs !== undefined && pull.keepUntilMs <= nowMs) this.#leave(pull, nowMs);
      const isTag = pull.state === 'running' && pull.lane === 'beside' && pull.presence !== 'sure';
      if (isTag && nowMs - (pull.startedAtMs ?? 0) >= settings.presentTripMs) this.#again(pull, nowMs);
    }
  }

  #startOne(nowMs: number): boolean {
    if (this.#lostAtMs !== undefined || this.#paused || this.#governed) return false;
    const active = this.#pulls.filter(({ state }) => state !== 'waiting');
    const places = active.filter(({ lane }) => lane === 'place').length + this.#adopted.length;
    const beside = active.filter(({ lane }) => lane === 'beside');
    for (const pull of this.#pulls.filter(({ state }) => state === 'waiting')) {
      const ready = this.#wanting(pull).filter((one) => one.lookEveryMs === 0 || one.nextLookAtMs <= nowMs);
      if (ready.length === 0) continue;
      const isConfirmed = ({ presence }: NaivePull) => presence === 'sure' || presence === 'recent';
      const fitsLane = isConfirmed(pull) && beside.filter(isConfirmed).length < 1;
      const isAlone = !beside.some(({ presence }) => presence === 'likely');
      const isLikely = pull.presence === 'likely' && isAlone && (this.limit === 0 || places <= this.limit);
      const may = ready.some(({ limit }) => {
        const limits = [this.limit, limit].filter((one) => one > 0);
        return limits.every((one) => places < one);
      });
      const ofRegistry = active.filter(({ lane, registry }) => lane === 'place' && registry === pull.registry).length;
      const hasPlace = may && (pull.registry !== 'slow' || ofRegistry < 1);
      if (!fitsLane && !isLikely && !hasPlace) continue;
      pull.state = 'running';
      const goesBeside = fitsLane && (pull.presence === 'sure' || !hasPlace);
      pull.lane = goesBeside || (isLikely && !hasPlace) ? 'beside' : 'place';
      pull.startedAtMs = nowMs;
      this.did.push(`start ${pull.id}${pull.lane === 'place' ? '' : ' beside'}`);
      return true;
    }
    return false;
  }

  #tooLong(happened: QueueEvent): void {
    if (happened.kind !== 'asked') return;
    const waiting = this.#pulls.filter(({ state }) => state === 'waiting');
    const last = waiting.at(-1);
    if (waiting.length > settings.maxWaiting && last) this.#refuse(({ pull }) => pull === last, 'QueueFull');
  }

  #giveUp(nowMs: number): void {
    const lost = this.#lostAtMs;
    const isAway = ({ askedAtMs }: Caller) =>
      lost !== undefined && nowMs - Math.max(lost, askedAtMs) >= settings.runtimeLostGraceMs;
    const reason = lost === undefined ? 'TooManyPullingInParallel' : 'RuntimeAway';
    for (const { caller, pull } of this.#refuse(
      (wish) => wish.caller.giveUpAtMs <= nowMs || isAway(wish.caller),
      reason,
    )) {
      const same = (one: { pod: string | undefined; image: string; untilMs: number }) =>
        one.pod === caller.podUid && one.image === pull.image && one.untilMs > nowMs;
      if (lost === undefined && !this.#refused.some(same)) {
        this.#refused.push({ pod: caller.podUid, image: pull.image, untilMs: nowMs + settings.refusalMemoryMs });
      }
    }
    this.#wishes = this.#wishes.map(({ caller, pull }) => {
      let { nextLookAtMs } = caller;
      while (caller.lookEveryMs > 0 && pull.state === 'waiting' && nextLookAtMs <= nowMs) {
        nextLookAtMs += caller.lookEveryMs;
      }
      return { caller: { ...caller, nextLookAtMs }, pull };
    });
  }

  #refuse(which: (wish: { caller: Caller; pull: NaivePull }) => boolean, reason: string) {
    const refused = this.#wishes.filter((wish) => wish.pull.state === 'waiting' && which(wish));
    for (const { caller } of refused) this.did.push(`${reason} ${caller.id}`);
    this.#wishes = this.#wishes.filter((wish) => !refused.includes(wish));
    for (const { pull } of refused) if (this.#wanting(pull).length === 0) this.#forget(pull);
    return refused;
  }
}

interface NaivePull {
  readonly id: number;
  readonly key: string;
  readonly image: string;
  readonly registry: string;
  readonly presence: Presence;
  state: 'waiting' | 'running' | 'abandoned';
  sinceMs: number;
  readonly askedAtMs: number;
  startedAtMs?: number;
  lane: 'place' | 'beside' | 'released';
  stalled?: boolean;
  keepUntilMs?: number;
}

/** Tells a story to `step`, ticking only when it asked for it, and to whoever else listens. */
function tell(
  words: readonly (readonly [number, Word])[],
  limit: number,
  listen: (happened: QueueEvent, nowMs: number, before: PullQueue, did: ReturnType<typeof step>) => void,
): PullQueue {
  let queue = emptyQueue(limit, settings);
  let nowMs = 0;
  let callers = 0;
  const hear = (happened: QueueEvent, atMs: number) => {
    const did = step(queue, happened, atMs);
    listen(happened, atMs, queue, did);
    queue = did.queue;
  };
  for (const [units, said] of words) {
    const untilMs = nowMs + units * unitMs;
    while (queue.nextAtMs < untilMs) hear({ kind: 'ticked' }, queue.nextAtMs);
    nowMs = untilMs;
    const happened = happenedOf(said, queue, () => ++callers, nowMs);
    if (happened) hear(happened, nowMs);
  }
  return queue;
}

const doings = (did: ReturnType<typeof step>) =>
  [
    ...did.start.map(({ id, lane }) => `start ${id}${lane === 'place' ? '' : ' beside'}`),
    ...did.abort.map(({ id }) => `abort ${id}`),
    ...did.forced.map(({ id }) => `forced ${id}`),
    ...did.answer.map((answer) => `${answer.kind === 'ended' ? 'ok' : answer.reason} ${answer.caller.id}`),
  ].sort();

test('any story: a naive model that looks at every moment starts, ends and refuses the same', () => {
  fc.assert(
    fc.property(fc.nat(3), story, (limit, words) => {
      const naive = new NaiveQueue(limit);
      let tickedMs = -unitMs;
      const did: string[] = [];
      tell(words, limit, (happened, nowMs, _, done) => {
        for (let at = tickedMs + unitMs; at < nowMs; at += unitMs) naive.tell({ kind: 'ticked' }, at);
        if (naive.did.length > 0) expect({ atMs: nowMs, did: naive.did.splice(0) }).toEqual({ atMs: nowMs, did: [] });
        naive.tell(happened, nowMs);
        tickedMs = nowMs - (nowMs % unitMs);
        did.push(...doings(done));
        expect(naive.did.splice(0).sort(), `at ${nowMs}: ${JSON.stringify(happened)}`).toEqual(doings(done));
      });
    }),
    { numRuns: 2_000 },
  );
});

test('I1 any story: a pull gets a slot only while fewer than the limit count', () => {
  fc.assert(
    fc.property(fc.nat(3), story, (limit, words) => {
      tell(words, limit, (_, __, before, { queue, start }) => {
        const placed = start.filter(({ lane }) => lane === 'place').length;
        if (queue.limit > 0 && placed > 0) expect(counted(queue)).toBeLessThanOrEqual(queue.limit);
        // The only other ways to count more: a limit set lower, adopted pulls, and pulls that change their lane.
        if (placed === 0 && queue.limit >= before.limit && queue.adopted.length <= before.adopted.length) {
          const laneBefore = new Map(before.running.map(({ id, lane }) => [id, lane]));
          const changed = queue.running.filter(({ id, lane }) => lane === 'place' && laneBefore.get(id) !== 'place');
          expect(counted(queue)).toBeLessThanOrEqual(counted(before) + changed.length);
          // A verification that becomes a download is stopped, not kept.
          const stopped = changed.filter(({ id }) => laneBefore.get(id) === 'present');
          expect(stopped.every(({ abandonedAtMs }) => abandonedAtMs !== undefined)).toBe(true);
        }
      });
    }),
    { numRuns: 500 },
  );
});

test('I2 and I4 any story: everybody is answered once or hung up, and ending all pulls drains the queue', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), story, (limit, words) => {
      const open = new Set<number>();
      const running = new Set<number>();
      const note = (happened: QueueEvent, did: ReturnType<typeof step>) => {
        if (happened.kind === 'asked') open.add(happened.caller.id);
        if (happened.kind === 'hungUp') open.delete(happened.callerId);
        for (const { caller } of did.answer) expect(open.delete(caller.id)).toBe(true);
        if (happened.kind === 'ended') running.delete(happened.pullId);
        for (const { id } of did.forced) expect(running.delete(id)).toBe(true);
        for (const { id } of did.start) {
          expect(running.has(id)).toBe(false);
          running.add(id);
        }
        expect(did.queue.running.map(({ id }) => id).sort()).toEqual([...running].sort());
      };
      let queue = tell(words, limit, (happened, _, __, did) => note(happened, did));
      let nowMs = 1_000 * unitMs;
      const hear = (happened: QueueEvent) => {
        const did = step(queue, happened, nowMs);
        note(happened, did);
        queue = did.queue;
      };
      for (const kind of ['runtimeBack', 'ticked'] as const) hear({ kind });
      hear({ kind: 'pausedSet', paused: false });
      hear({ kind: 'governedSet', governed: false });
      hear({ kind: 'adopted', ids: [] });
      for (let rounds = 0; open.size > 0; rounds += 1) {
        expect(rounds).toBeLessThan(100);
        nowMs += unitMs;
        for (const { id } of queue.running) hear({ kind: 'ended', pullId: id });
        hear({ kind: 'ticked' });
      }
    }),
    { numRuns: 500 },
  );
});

test('I3 any story: of pulls with equal option, registry and presence the one that asked first starts first', () => {
  fc.assert(
    fc.property(fc.nat(3), story, (limit, words) => {
      tell(words, limit, (_, nowMs, __, { queue, start }) => {
        const plain = (pull: (typeof start)[number]) =>
          pull.callers.some(
            ({ limit: option, lookEveryMs, nextLookAtMs }) =>
              option === 0 && (lookEveryMs === 0 || nextLookAtMs <= nowMs),
          );
        for (const started of start) {
          const passed = queue.waiting.filter(
            (pull) =>
              isEarlier(pull, started) &&
              plain(pull) &&
              pull.registry === started.registry &&
              pull.presence === started.presence &&
              pull.callers.every(({ lookEveryMs }) => lookEveryMs === 0),
          );
          expect(passed).toEqual([]);
        }
      });
    }),
    { numRuns: 500 },
  );
});

function isEarlier(one: Pull, other: Pull): boolean {
  return one.askedAtMs < other.askedAtMs || (one.askedAtMs === other.askedAtMs && one.id < other.id);
}

test('I5 and I6 any story: one key runs once, and no caller waits for a slot that is free', () => {
  fc.assert(
    fc.property(fc.nat(3), story, (limit, words) => {
      tell(words, limit, (_, __, ___, { queue }) => {
        const keys = [...queue.running, ...queue.waiting]
          .filter(({ abandonedAtMs }) => abandonedAtMs === undefined)
          .map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        if (queue.paused || queue.governed || queue.lostAtMs !== undefined) return;
        const isFree = queue.limit === 0 || counted(queue) < queue.limit;
        const eager = queue.waiting.filter(
          ({ callers, registry }) =>
            registry !== 'slow' && callers.some(({ limit: option, lookEveryMs }) => option === 0 && lookEveryMs === 0),
        );
        if (isFree) expect(eager).toEqual([]);
      });
    }),
    { numRuns: 500 },
  );
});

test('any story: shifting it in time changes nothing but the times', () => {
  const shape = (words: readonly (readonly [number, Word])[], limit: number) => {
    const seen: string[][] = [];
    tell(words, limit, (_, __, ___, did) => seen.push(doings(did)));
    return seen.filter((doing) => doing.length > 0);
  };
  fc.assert(
    fc.property(fc.nat(3), fc.nat(50), story, (limit, units, words) => {
      expect(shape([[units, { do: 'tick' }], ...words], limit)).toEqual(shape(words, limit));
    }),
    { numRuns: 300 },
  );
});
