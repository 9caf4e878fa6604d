import { ask, hangUp } from './callers.js';
import { expire, nextDueMs } from './due-times.js';
import { withCondition } from './queue-conditions.js';
import type { PullQueue, QueueEvent } from './queue-state.js';
import { andThen, type Step, stepTo } from './queue-step.js';
import { keepLength, refuse, refuseImpatient } from './refuse-waiting.js';
import { progress } from './running-pulls.js';
import { grant, startWaiting } from './start-pulls.js';

/**
 * Decides which image pulls may run. It never waits, never pulls and owns no
 * timer: the caller says what happened and what time it is, and acts on the answer.
 */
export function step(queue: PullQueue, event: QueueEvent, nowMs: number): Step {
  let next = apply(queue, event, nowMs);
  const isDue = nowMs >= next.queue.nextAtMs;
  if (isDue) next = andThen(next, (at) => expire(at, nowMs));
  next = andThen(next, (at) => startWaiting(at, nowMs));
  if (event.kind === 'asked' && !event.isAccepted) next = andThen(next, (at) => keepLength(at, event.caller.id));
  if (!isDue) return next;
  next = andThen(next, (at) => refuseImpatient(at, nowMs));
  return { ...next, queue: { ...next.queue, nextAtMs: nextDueMs(next.queue) } };
}

function apply(queue: PullQueue, event: QueueEvent, nowMs: number): Step {
  switch (event.kind) {
    case 'asked':
      return ask(queue, event, nowMs);
    case 'hungUp':
      return hangUp(queue, event, nowMs);
    case 'granted':
      return grant(queue, event.pullId, nowMs);
    case 'ended':
    case 'downloads':
    case 'stalled':
    case 'moved':
      return progress(queue, event, nowMs);
    case 'denied':
    case 'dropped':
    case 'podsGone':
      return refuse(queue, event);
    case 'ticked':
      return stepTo(queue);
    default:
      return stepTo(withCondition(queue, event, nowMs));
  }
}
