import { freePlaces } from './free-places.js';
import type { Answer, Asked, Caller, Happened, Pull, PullQueue, RefusalReason, Step } from './queue-state.js';

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
  if (happened.kind === 'asked' && !happened.isAccepted) keepLength(draft, happened.caller.id);
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
    case 'governedSet':
      draft.governed = happened.governed;
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
    case 'denied':
      refuseWaiting(draft, happened.reason, ({ id }) => id === happened.pullId);
      break;
    case 'downloads':
      stopVerifying(draft, happened.pullId, nowMs);
      break;
    case 'stalled':
      stall(draft, happened, nowMs);
      break;
    case 'moved':
      move(draft, happened.pullId);
      break;
    case 'podsGone':
      refuseWaiting(draft, 'PodGone', (_, { podUid }) => podUid !== undefined && happened.uids.includes(podUid));
      break;
    case 'dropped':
      refuseWaiting(draft, 'Dropped', (pull) => pull.image === happened.image);
      break;
    case 'drained':
      draft.draining = true;
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
  queueUp(draft, { key, image, registry, presence, askedAtMs: asking.askedAtMs, callers: [asking], lane: 'place' });
}

/** Puts a pull where its time puts it: one that was handed over, or stopped, keeps the place in the queue it had. */
function queueUp(draft: Draft, pull: Omit<Pull, 'id'>): void {
  const after = draft.waiting.findLastIndex((other) => other.askedAtMs <= pull.askedAtMs);
  draft.waiting = draft.waiting.toSpliced(after + 1, 0, { ...pull, id: draft.nextId });
  draft.someThere ||= pull.presence !== 'absent';
  draft.nextId += 1;
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

/**
 * A tag that was verified beside the places has moved: it is a download like any other and waits for a place like
 * any other. The verification counts until it has ended, because the runtime may have begun to fetch.
 */
function stopVerifying(draft: Draft, pullId: number, nowMs: number): void {
  const pull = draft.running.find(({ id, lane }) => id === pullId && lane === 'present');
  if (!pull || pull.abandonedAtMs !== undefined) return;
  const { id: _, startedAtMs: __, ...again } = pull;
  draft.running = replaced(draft.running, abandoned(draft, { ...pull, callers: [], lane: 'place' }, nowMs));
  queueUp(draft, { ...again, presence: 'absent', lane: 'place' });
  wakeAt(draft, nowMs);
}

function stall(draft: Draft, { pullId, idleMs }: { pullId: number; idleMs: number }, nowMs: number): void {
  const pull = draft.running.find(({ id, lane }) => id === pullId && lane === 'place');
  if (!pull || pull.abandonedAtMs !== undefined) return;
  const stalled: Pull = { ...pull, stalledAtMs: nowMs };
  switch (draft.settings.onStall) {
    case 'report':
      draft.running = replaced(draft.running, stalled);
      break;
    case 'release':
      draft.running = replaced(draft.running, { ...stalled, lane: 'released' });
      break;
    case 'cancel':
      for (const caller of pull.callers) {
        draft.answer.push({ kind: 'refused', caller, image: pull.image, reason: 'Stalled', idleMs });
      }
      draft.running = replaced(draft.running, abandoned(draft, { ...stalled, callers: [] }, nowMs));
      wakeAt(draft, nowMs + draft.settings.abortTimeoutMs);
  }
}

/** A released pull that moves again counts again. */
function move(draft: Draft, pullId: number): void {
  const pull = draft.running.find(({ id, stalledAtMs }) => id === pullId && stalledAtMs !== undefined);
  if (!pull) return;
  const { stalledAtMs: _, ...moving } = pull;
  draft.running = replaced(draft.running, { ...moving, lane: 'place' });
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
    return pull.keepUntilMs !== undefined && pull.keepUntilMs <= nowMs ? [abandoned(draft, pull, nowMs)] : [pull];
  });
  for (const pull of draft.running) {
    if (isVerifyingTag(pull) && (pull.startedAtMs ?? nowMs) + presentTripMs <= nowMs) {
      stopVerifying(draft, pull.id, nowMs);
    }
  }
}

/** Only a tag can turn out to be a download; a digest that is there has nothing to fetch. */
function isVerifyingTag({ lane, presence, abandonedAtMs }: Pull): boolean {
  return lane === 'present' && presence !== 'sure' && abandonedAtMs === undefined;
}

function startWhatMay(draft: Draft, nowMs: number): void {
  if (draft.waiting.length === 0 || draft.lostAtMs !== undefined || draft.paused || draft.governed) return;
  const free = freePlaces(draft);
  const starting = new Set<number>();
  const started: Pull[] = [];
  let someThere = false;
  for (const [at, pull] of draft.waiting.entries()) {
    // A long queue is not looked through after every single thing that happens.
    if (free.isFull() && !draft.someThere) break;
    const lane = free.take(pull, nowMs);
    if (lane) {
      starting.add(at);
      started.push({ ...pull, lane, startedAtMs: nowMs });
    } else if (pull.presence !== 'absent') someThere = true;
  }
  draft.someThere = someThere;
  if (starting.size === 0) return;
  draft.start.push(...started);
  draft.running = [...draft.running, ...started];
  draft.waiting = draft.waiting.filter((_, at) => !starting.has(at));
  if (started.some(({ lane }) => lane === 'present')) wakeAt(draft, nowMs + draft.settings.presentTripMs);
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
  for (const pull of running) {
    const { abandonedAtMs, keepUntilMs, startedAtMs } = pull;
    if (abandonedAtMs !== undefined) next = Math.min(next, abandonedAtMs + settings.abortTimeoutMs);
    if (keepUntilMs !== undefined) next = Math.min(next, keepUntilMs);
    if (isVerifyingTag(pull) && startedAtMs !== undefined) next = Math.min(next, startedAtMs + settings.presentTripMs);
  }
  return next;
}
