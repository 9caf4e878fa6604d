import { freeSlots } from './free-slots.js';
import type { Pull, PullQueue } from './queue-state.js';
import { type Step, stepTo, wakeBy } from './queue-step.js';

/** Starts every waiting pull that may run now, in order. */
export function startWaiting(queue: PullQueue, nowMs: number): Step {
  const { waiting, lostAtMs, paused, governed } = queue;
  if (waiting.length === 0 || lostAtMs !== undefined || paused || governed) return stepTo(queue);
  const free = freeSlots(queue);
  const starting = new Set<Pull>();
  const start: Pull[] = [];
  let someThere = false;
  for (const pull of waiting) {
    // A long queue is not looked through after every single thing that happens.
    if (free.isFull() && !queue.someThere) break;
    const lane = free.take(pull, nowMs);
    if (lane) {
      starting.add(pull);
      start.push({ ...pull, lane, startedAtMs: nowMs });
    } else if (pull.presence !== 'absent') someThere = true;
  }
  if (start.length === 0) return stepTo({ ...queue, someThere });
  const started = {
    ...queue,
    someThere,
    running: [...queue.running, ...start],
    waiting: waiting.filter((pull) => !starting.has(pull)),
  };
  const verifies = start.some(({ lane }) => lane === 'present');
  return stepTo(verifies ? wakeBy(started, nowMs + queue.settings.presentTripMs) : started, { start });
}

/** Starts a waiting pull because the process that governs this queue says so, whatever the limit here. */
export function grant(queue: PullQueue, pullId: number, nowMs: number): Step {
  const pull = queue.waiting.find(({ id, callers }) => id === pullId && callers.length > 0);
  if (!pull) return stepTo(queue);
  const started: Pull = { ...pull, startedAtMs: nowMs };
  const waiting = queue.waiting.filter((other) => other !== pull);
  return stepTo({ ...queue, waiting, running: [...queue.running, started] }, { start: [started] });
}
