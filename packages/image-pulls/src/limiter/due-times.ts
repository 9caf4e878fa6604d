import { abandoned } from './pull-lists.js';
import type { Pull, PullQueue } from './queue-state.js';
import { andThen, type Step, stepTo } from './queue-step.js';
import { stopVerifying } from './running-pulls.js';

/** Does what time alone does to pulls that run, or that are kept for a lost connection. */
export function expire(queue: PullQueue, nowMs: number): Step {
  const { abortTimeoutMs, presentTripMs } = queue.settings;
  const isOver = ({ keepUntilMs }: Pull) => keepUntilMs !== undefined && keepUntilMs <= nowMs;
  const forced = queue.running.filter(
    ({ abandonedAtMs }) => abandonedAtMs !== undefined && abandonedAtMs + abortTimeoutMs <= nowMs,
  );
  const running = queue.running
    .filter((pull) => !forced.includes(pull))
    .map((pull) => (isOver(pull) ? abandoned(pull, nowMs) : pull));
  const waiting = queue.waiting.filter((pull) => !isOver(pull));
  const abort = running.filter((pull) => !queue.running.includes(pull));
  const isSlow = (pull: Pull) => isVerifyingTag(pull) && (pull.startedAtMs ?? nowMs) + presentTripMs <= nowMs;
  return running
    .filter(isSlow)
    .reduce(
      (before, pull) => andThen(before, (at) => stopVerifying(at, pull, nowMs)),
      stepTo({ ...queue, running, waiting }, { abort, forced }),
    );
}

/** The next moment at which time alone changes something. May be early, is never late. */
export function nextDueMs({ settings, waiting, running, lostAtMs }: PullQueue): number {
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

/** Only a tag can turn out to be a download; a digest that is there has nothing to fetch. */
function isVerifyingTag({ lane, presence, abandonedAtMs }: Pull): boolean {
  return lane === 'present' && presence !== 'sure' && abandonedAtMs === undefined;
}
