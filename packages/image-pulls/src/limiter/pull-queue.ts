import {
  type Answer,
  type Asked,
  type Caller,
  counted,
  type Happened,
  type Pull,
  type PullQueue,
  type RefusalReason,
  type Step,
} from './queue-state.js';

/**
 * Decides which image pulls may run. It never waits, never pulls and owns no
 * timer: the caller says what happened and what time it is, and acts on the answer.
 */
export function step(queue: PullQueue, happened: Happened, nowMs: number): Step {
  const draft: Draft = { ...queue, start: [], answer: [], abort: [], forced: [] };
  apply(draft, happened, nowMs);
  const due = nowMs >= draft.nextAtMs;
  if (due) expire(draft, nowMs);
  startWhatMay(draft, nowMs);
  if (happened.kind === 'asked') keepLength(draft, happened.caller.id);
  if (due) {
    refuseTheImpatient(draft, nowMs);
    draft.nextAtMs = earliest(draft);
  }
  const { start, answer, abort, forced, ...next } = draft;
  return { queue: next, start, answer, abort, forced };
}

/** A queue in the making. Its lists are replaced, never changed. */
interface Draft extends Mutable<PullQueue> {
  readonly start: Pull[];
  readonly answer: Answer[];
  readonly abort: Pull[];
  readonly forced: Pull[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function apply(draft: Draft, happened: Happened, nowMs: number): void {
  switch (happened.kind) {
    case 'asked':
      ask(draft, happened, nowMs);
      break;
    case 'hungUp':
      hangUp(draft, happened.callerId, happened.with === 'session', nowMs);
      break;
    case 'ended':
      end(draft, happened.pullId);
      break;
    case 'limitSet':
      draft.limit = happened.limit;
      break;
    case 'settingsSet':
      draft.settings = happened.settings;
      draft.nextAtMs = nowMs;
      break;
    case 'pausedSet':
      draft.paused = happened.paused;
      break;
    case 'runtimeLost':
      draft.lostAtMs ??= nowMs;
      wakeAt(draft, nowMs + draft.settings.runtimeLostGraceMs);
      break;
    case 'runtimeBack':
      draft.lostAtMs = undefined;
      break;
    case 'adopted':
      draft.adopted = happened.ids;
      break;
    case 'adoptedEnded':
      draft.adopted = draft.adopted.filter((id) => id !== happened.id);
      break;
    case 'granted':
      grant(draft, happened.pullId, nowMs);
      break;
    case 'podsGone':
      refuseWaiting(draft, 'PodGone', (_, { podUid }) => podUid !== undefined && happened.uids.includes(podUid));
      break;
    case 'dropped':
      refuseWaiting(draft, 'Dropped', (pull) => pull.image === happened.image);
      break;
    case 'drained':
      draft.draining = true;
      refuseWaiting(draft, 'Draining', () => true);
      break;
    case 'ticked':
      break;
  }
}

function ask(draft: Draft, { caller, ...what }: Asked, nowMs: number): void {
  if (draft.draining) {
    draft.answer.push({ kind: 'refused', caller, image: what.image, reason: 'Draining' });
    return;
  }
  const asking = isRemembered(draft, caller, what.image, nowMs) ? { ...caller, giveUpAtMs: nowMs } : caller;
  wakeAt(draft, Math.min(asking.giveUpAtMs, asking.lookEveryMs > 0 ? asking.nextLookAtMs : Infinity));
  if (draft.lostAtMs !== undefined) wakeAt(draft, nowMs + draft.settings.runtimeLostGraceMs);

  const running = draft.running.findIndex(({ key, abandonedAtMs }) => key === what.key && abandonedAtMs === undefined);
  if (running >= 0) {
    draft.running = joined(draft.running, running, asking);
    return;
  }
  const waiting = draft.waiting.findIndex(({ key }) => key === what.key);
  if (waiting >= 0) {
    draft.waiting = joined(draft.waiting, waiting, asking);
    return;
  }
  const { key, image, registry, presence } = what;
  const { askedAtMs } = asking;
  const pull: Pull = { id: draft.nextId, key, image, registry, presence, askedAtMs, callers: [asking], lane: 'place' };
  draft.nextId += 1;
  // Somebody who asked another process earlier, and was handed over, keeps the place in the queue.
  const after = draft.waiting.findLastIndex((other) => other.askedAtMs <= askedAtMs);
  draft.waiting = draft.waiting.toSpliced(after + 1, 0, pull);
}

function joined(pulls: readonly Pull[], index: number, caller: Caller): readonly Pull[] {
  return pulls.map((pull, at) => {
    if (at !== index) return pull;
    const { keepUntilMs: _, ...kept } = pull;
    return { ...kept, callers: [...pull.callers, caller] };
  });
}

function hangUp(draft: Draft, callerId: number, withSession: boolean, nowMs: number): void {
  const { sessionGraceMs, abortTimeoutMs } = draft.settings;
  const keepUntilMs = nowMs + sessionGraceMs;
  const keeps = withSession && sessionGraceMs > 0;
  const without = (pull: Pull) => pull.callers.filter(({ id }) => id !== callerId);

  const waiting = draft.waiting.find(({ callers }) => callers.some(({ id }) => id === callerId));
  if (waiting) {
    const callers = without(waiting);
    if (callers.length > 0) draft.waiting = replaced(draft.waiting, { ...waiting, callers });
    else if (keeps) draft.waiting = replaced(draft.waiting, { ...waiting, callers, keepUntilMs });
    else draft.waiting = draft.waiting.filter((pull) => pull !== waiting);
    wakeAt(draft, keepUntilMs);
    return;
  }
  const running = draft.running.find(({ callers }) => callers.some(({ id }) => id === callerId));
  if (!running) return;
  const callers = without(running);
  if (callers.length > 0) {
    draft.running = replaced(draft.running, { ...running, callers });
  } else if (keeps) {
    draft.running = replaced(draft.running, { ...running, callers, keepUntilMs });
    wakeAt(draft, keepUntilMs);
  } else {
    draft.running = replaced(draft.running, abandoned(draft, { ...running, callers }, nowMs));
    wakeAt(draft, nowMs + abortTimeoutMs);
  }
}

function abandoned(draft: Draft, pull: Pull, nowMs: number): Pull {
  const { keepUntilMs: _, ...kept } = pull;
  const left = { ...kept, abandonedAtMs: nowMs };
  draft.abort.push(left);
  return left;
}

function end(draft: Draft, pullId: number): void {
  const pull = draft.running.find(({ id }) => id === pullId);
  if (!pull) return;
  draft.running = draft.running.filter((other) => other !== pull);
  for (const caller of pull.callers) draft.answer.push({ kind: 'ended', caller, pull });
}

function grant(draft: Draft, pullId: number, nowMs: number): void {
  const pull = draft.waiting.find(({ id, callers }) => id === pullId && callers.length > 0);
  if (!pull) return;
  const started: Pull = { ...pull, startedAtMs: nowMs };
  draft.start.push(started);
  draft.waiting = draft.waiting.filter((other) => other !== pull);
  draft.running = [...draft.running, started];
}

/** What time alone does to pulls that run, or that are kept for a lost connection. */
function expire(draft: Draft, nowMs: number): void {
  const { abortTimeoutMs, presentTripMs } = draft.settings;
  draft.waiting = draft.waiting.filter(({ keepUntilMs }) => keepUntilMs === undefined || keepUntilMs > nowMs);
  draft.running = draft.running.flatMap((pull) => {
    if (pull.abandonedAtMs !== undefined && pull.abandonedAtMs + abortTimeoutMs <= nowMs) {
      draft.forced.push(pull);
      return [];
    }
    const slow = pull.lane === 'present' && (pull.startedAtMs ?? nowMs) + presentTripMs <= nowMs;
    const now: Pull = slow ? { ...pull, lane: 'place' } : pull;
    return now.keepUntilMs !== undefined && now.keepUntilMs <= nowMs ? [abandoned(draft, now, nowMs)] : [now];
  });
}

function startWhatMay(draft: Draft, nowMs: number): void {
  if (draft.waiting.length === 0 || draft.lostAtMs !== undefined || draft.paused) return;
  const free = freePlaces(draft);
  const starting = new Set<Pull>();
  const started: Pull[] = [];
  for (const pull of draft.waiting) {
    const lane = free.take(pull, nowMs);
    if (!lane) continue;
    starting.add(pull);
    started.push({ ...pull, lane, startedAtMs: nowMs });
  }
  if (starting.size === 0) return;
  draft.start.push(...started);
  draft.running = [...draft.running, ...started];
  draft.waiting = draft.waiting.filter((pull) => !starting.has(pull));
  if (started.some(({ lane }) => lane === 'present')) wakeAt(draft, nowMs + draft.settings.presentTripMs);
}

/** Says where a pull may run now, if anywhere, and remembers that it does. */
function freePlaces(draft: Draft): { take(pull: Pull, nowMs: number): Pull['lane'] | undefined } {
  const { limit, settings } = draft;
  let places = counted(draft);
  let sure = 0;
  let likely = 0;
  const registries = new Map<string, number>();
  const capped = Object.keys(settings.perRegistry).length > 0;
  const note = (pull: Pull, lane: Pull['lane']) => {
    if (lane === 'place') registries.set(pull.registry, (registries.get(pull.registry) ?? 0) + 1);
    else if (pull.presence === 'sure') sure += 1;
    else likely += 1;
  };
  for (const pull of draft.running) note(pull, pull.lane);

  const isPresentFree = ({ presence }: Pull) => {
    if (presence === 'absent') return false;
    if (presence === 'sure') return sure < settings.presentLane;
    // A tag may have moved, and then this is a download: one at a time, and none while one already counts too many.
    return likely === 0 && (limit === 0 || places <= limit);
  };
  const isRegistryFree = ({ registry }: Pull) => {
    const cap = settings.perRegistry[registry] ?? settings.perRegistry.default ?? 0;
    return cap === 0 || (registries.get(registry) ?? 0) < cap;
  };
  return {
    take(pull, nowMs) {
      const allowed = loosestLimit(pull, limit, nowMs);
      if (allowed < 0) return undefined;
      const lane = isPresentFree(pull) ? 'present' : 'place';
      if (lane === 'place') {
        if (places >= allowed || (capped && !isRegistryFree(pull))) return undefined;
        places += 1;
      }
      note(pull, lane);
      return lane;
    },
  };
}

/** The limit that applies to a pull: that of its caller who asks for the least. Below 0 when nobody wants it now. */
function loosestLimit({ callers }: Pull, limit: number, nowMs: number): number {
  let loosest = -1;
  for (const caller of callers) {
    if (caller.lookEveryMs > 0 && caller.nextLookAtMs > nowMs) continue;
    loosest = Math.max(loosest, Math.min(limit || Infinity, caller.limit || Infinity));
  }
  return loosest;
}

function keepLength(draft: Draft, callerId: number): void {
  if (draft.waiting.length <= draft.settings.maxWaiting) return;
  const pull = draft.waiting.find(({ callers }) => callers[0]?.id === callerId && callers.length === 1);
  const caller = pull?.callers[0];
  if (!pull || !caller) return;
  draft.waiting = draft.waiting.filter((other) => other !== pull);
  draft.answer.push({ kind: 'refused', caller, image: pull.image, reason: 'QueueFull' });
}

function refuseTheImpatient(draft: Draft, nowMs: number): void {
  const { lostAtMs, settings } = draft;
  const isOver = ({ askedAtMs, giveUpAtMs }: Caller) =>
    giveUpAtMs <= nowMs ||
    (lostAtMs !== undefined && Math.max(lostAtMs, askedAtMs) + settings.runtimeLostGraceMs <= nowMs);
  const reason = lostAtMs === undefined ? 'TooManyPullingInParallel' : 'RuntimeAway';
  refuseWaiting(draft, reason, (_, caller) => isOver(caller), nowMs);
  draft.waiting = draft.waiting.map((pull) =>
    pull.callers.some(({ lookEveryMs, nextLookAtMs }) => lookEveryMs > 0 && nextLookAtMs <= nowMs)
      ? { ...pull, callers: pull.callers.map((caller) => looked(caller, nowMs)) }
      : pull,
  );
}

function looked(caller: Caller, nowMs: number): Caller {
  const { lookEveryMs, nextLookAtMs } = caller;
  if (lookEveryMs === 0 || nextLookAtMs > nowMs) return caller;
  const passed = Math.floor((nowMs - nextLookAtMs) / lookEveryMs) + 1;
  return { ...caller, nextLookAtMs: nextLookAtMs + passed * lookEveryMs };
}

function refuseWaiting(
  draft: Draft,
  reason: RefusalReason,
  isRefused: (pull: Pull, caller: Caller) => boolean,
  nowMs = 0,
): void {
  const before = draft.answer.length;
  draft.waiting = draft.waiting.flatMap((pull) => {
    const stay = pull.callers.filter((caller) => !isRefused(pull, caller));
    if (stay.length === pull.callers.length) return [pull];
    for (const caller of pull.callers) {
      if (!stay.includes(caller)) draft.answer.push({ kind: 'refused', caller, image: pull.image, reason });
    }
    return stay.length > 0 ? [{ ...pull, callers: stay }] : [];
  });
  if (reason === 'TooManyPullingInParallel') remember(draft, draft.answer.slice(before), nowMs);
}

const mostRefusals = 1_024;

function remember(draft: Draft, answers: readonly Answer[], nowMs: number): void {
  const isKnown = (podUid: string, image: string) =>
    draft.refusals.some((one) => one.podUid === podUid && one.image === image && one.untilMs > nowMs);
  const untilMs = nowMs + draft.settings.refusalMemoryMs;
  const fresh = answers.flatMap(({ caller: { podUid }, kind, ...answer }) =>
    kind === 'refused' && podUid !== undefined && 'image' in answer && !isKnown(podUid, answer.image)
      ? [{ podUid, image: answer.image, untilMs }]
      : [],
  );
  if (fresh.length === 0) return;
  draft.refusals = [...draft.refusals.filter((one) => one.untilMs > nowMs), ...fresh].slice(-mostRefusals);
}

/** Only callers who would give up some day are refused at once; one who waits for ever just waits. */
function isRemembered(draft: Draft, { podUid, giveUpAtMs }: Caller, image: string, nowMs: number): boolean {
  if (podUid === undefined || giveUpAtMs === Infinity) return false;
  return draft.refusals.some((one) => one.podUid === podUid && one.image === image && one.untilMs > nowMs);
}

function replaced(pulls: readonly Pull[], pull: Pull): readonly Pull[] {
  return pulls.map((other) => (other.id === pull.id ? pull : other));
}

function wakeAt(draft: Draft, atMs: number): void {
  if (atMs < draft.nextAtMs) draft.nextAtMs = atMs;
}

/** The next moment at which time alone changes something. May be early, is never late. */
function earliest({ settings, waiting, running, lostAtMs }: Draft): number {
  let next = Infinity;
  for (const { callers, keepUntilMs } of waiting) {
    if (keepUntilMs !== undefined) next = Math.min(next, keepUntilMs);
    for (const { askedAtMs, giveUpAtMs, lookEveryMs, nextLookAtMs } of callers) {
      next = Math.min(next, giveUpAtMs);
      if (lookEveryMs > 0) next = Math.min(next, nextLookAtMs);
      if (lostAtMs !== undefined) next = Math.min(next, Math.max(lostAtMs, askedAtMs) + settings.runtimeLostGraceMs);
    }
  }
  for (const { abandonedAtMs, keepUntilMs, lane, startedAtMs } of running) {
    if (abandonedAtMs !== undefined) next = Math.min(next, abandonedAtMs + settings.abortTimeoutMs);
    if (keepUntilMs !== undefined) next = Math.min(next, keepUntilMs);
    if (lane === 'present' && startedAtMs !== undefined) next = Math.min(next, startedAtMs + settings.presentTripMs);
  }
  return next;
}
