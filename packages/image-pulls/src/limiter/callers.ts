import { abandoned, queueUp, replaced } from './pull-lists.js';
import type { Asked, Caller, HungUp, Pull, PullQueue } from './queue-state.js';
import { type Step, stepTo, wakeBy } from './queue-step.js';
import { isRefusalRemembered } from './refusal-memory.js';

/** A caller arrives: it joins the pull with its key, or a pull of its own is queued. */
export function ask(queue: PullQueue, asked: Asked, nowMs: number): Step {
  const { caller, image } = asked;
  if (queue.draining) return stepTo(queue, { answer: [{ kind: 'refused', caller, image, reason: 'Draining' }] });
  const asking = isRefusalRemembered(queue, caller, image, nowMs) ? { ...caller, giveUpAtMs: nowMs } : caller;
  const lookAtMs = asking.lookEveryMs > 0 ? asking.nextLookAtMs : Infinity;
  const lostUntilMs = queue.lostAtMs === undefined ? Infinity : nowMs + queue.settings.runtimeLostGraceMs;
  return stepTo(withCaller(wakeBy(queue, Math.min(asking.giveUpAtMs, lookAtMs, lostUntilMs)), asked, asking));
}

function withCaller(queue: PullQueue, { key, image, registry, presence }: Asked, caller: Caller): PullQueue {
  const { running, waiting } = queue;
  const runs = running.find((pull) => pull.key === key && pull.abandonedAtMs === undefined);
  if (runs) return { ...queue, running: replaced(running, joined(runs, caller)) };
  const waits = waiting.find((pull) => pull.key === key);
  if (waits) return { ...queue, waiting: replaced(waiting, joined(waits, caller)) };
  const { askedAtMs } = caller;
  return queueUp(queue, { key, image, registry, presence, askedAtMs, callers: [caller], lane: 'place' });
}

function joined({ keepUntilMs: _, ...pull }: Pull, caller: Caller): Pull {
  return { ...pull, callers: [...pull.callers, caller] };
}

/**
 * A caller leaves. A pull without callers is kept for a while if they were lost with their connection; otherwise it is
 * no longer queued, or stopped.
 */
export function hangUp(queue: PullQueue, { callerId, with: withWhat }: HungUp, nowMs: number): Step {
  const { sessionGraceMs, abortTimeoutMs } = queue.settings;
  const keepUntilMs = nowMs + sessionGraceMs;
  const keeps = withWhat === 'session' && sessionGraceMs > 0;
  const isTheirs = ({ callers }: Pull) => callers.some(({ id }) => id === callerId);

  const waiting = queue.waiting.find(isTheirs);
  if (waiting) {
    const left = without(waiting, callerId);
    const stays = left.callers.length > 0 || keeps;
    const kept = left.callers.length > 0 ? left : { ...left, keepUntilMs };
    const pulls = stays ? replaced(queue.waiting, kept) : queue.waiting.filter((pull) => pull !== waiting);
    return stepTo(wakeBy({ ...queue, waiting: pulls }, keepUntilMs));
  }
  const running = queue.running.find(isTheirs);
  if (!running) return stepTo(queue);
  const left = without(running, callerId);
  const runsAs = (pull: Pull) => ({ ...queue, running: replaced(queue.running, pull) });
  if (left.callers.length > 0) return stepTo(runsAs(left));
  if (keeps) return stepTo(wakeBy(runsAs({ ...left, keepUntilMs }), keepUntilMs));
  const stopped = abandoned(left, nowMs);
  return stepTo(wakeBy(runsAs(stopped), nowMs + abortTimeoutMs), { abort: [stopped] });
}

function without(pull: Pull, callerId: number): Pull {
  return { ...pull, callers: pull.callers.filter(({ id }) => id !== callerId) };
}
