import type { Answer, Caller, Pull, PullQueue, RefusalEvent, RefusalReason } from './queue-state.js';
import { type Step, stepTo } from './queue-step.js';
import { withRefusals } from './refusal-memory.js';

/** Refuses the waiting callers that an event is about. */
export function refuse(queue: PullQueue, event: RefusalEvent): Step {
  switch (event.kind) {
    case 'denied':
      return refuseWaiting(queue, event.reason, ({ id }) => id === event.pullId);
    case 'dropped':
      return refuseWaiting(queue, 'Dropped', ({ image }) => image === event.image);
    case 'podsGone': {
      const isGone = (_: Pull, { podUid }: Caller) => podUid !== undefined && event.uids.includes(podUid);
      return refuseWaiting(queue, 'PodGone', isGone);
    }
  }
}

/** Refuses a caller whose pull makes the queue too long. Joining one that waits is always possible. */
export function keepLength(queue: PullQueue, callerId: number): Step {
  if (queue.waiting.length <= queue.settings.maxWaiting) return stepTo(queue);
  const isOwn = ({ callers }: Pull) => callers[0]?.id === callerId && callers.length === 1;
  return refuseWaiting(queue, 'QueueFull', isOwn);
}

/** Refuses callers whose time is over; those that look from time to time have looked. */
export function refuseImpatient(queue: PullQueue, nowMs: number): Step {
  const { lostAtMs, settings } = queue;
  const isOver = (_: Pull, { askedAtMs, giveUpAtMs }: Caller) =>
    giveUpAtMs <= nowMs ||
    (lostAtMs !== undefined && Math.max(lostAtMs, askedAtMs) + settings.runtimeLostGraceMs <= nowMs);
  const reason = lostAtMs === undefined ? 'TooManyPullingInParallel' : 'RuntimeAway';
  const refused = refuseWaiting(queue, reason, isOver);
  const known =
    reason === 'TooManyPullingInParallel' ? withRefusals(refused.queue, refused.answer, nowMs) : refused.queue;
  return { ...refused, queue: { ...known, waiting: known.waiting.map((pull) => looked(pull, nowMs)) } };
}

function refuseWaiting(
  queue: PullQueue,
  reason: RefusalReason,
  isRefused: (pull: Pull, caller: Caller) => boolean,
): Step {
  const answer: Answer[] = [];
  const waiting = queue.waiting.flatMap((pull) => {
    const { image, callers } = pull;
    const refused = callers.filter((caller) => isRefused(pull, caller));
    if (refused.length === 0) return [pull];
    for (const caller of refused) answer.push({ kind: 'refused', caller, image, reason });
    const stay = callers.filter((caller) => !refused.includes(caller));
    return stay.length > 0 ? [{ ...pull, callers: stay }] : [];
  });
  return stepTo({ ...queue, waiting }, { answer });
}

function looked(pull: Pull, nowMs: number): Pull {
  const isDue = ({ lookEveryMs, nextLookAtMs }: Caller) => lookEveryMs > 0 && nextLookAtMs <= nowMs;
  if (!pull.callers.some(isDue)) return pull;
  return { ...pull, callers: pull.callers.map((caller) => (isDue(caller) ? withNextLook(caller, nowMs) : caller)) };
}

function withNextLook(caller: Caller, nowMs: number): Caller {
  const { lookEveryMs, nextLookAtMs } = caller;
  const passed = Math.floor((nowMs - nextLookAtMs) / lookEveryMs) + 1;
  return { ...caller, nextLookAtMs: nextLookAtMs + passed * lookEveryMs };
}
