import type { ConditionEvent, PullQueue } from './queue-state.js';
import { wakeBy } from './queue-step.js';

/** Changes a condition under which pulls run. What follows from it for each pull is decided afterwards. */
export function withCondition(queue: PullQueue, event: ConditionEvent, nowMs: number): PullQueue {
  switch (event.kind) {
    case 'limitSet':
      return { ...queue, limit: event.limit };
    case 'settingsSet':
      // Other times may be due.
      return { ...queue, settings: event.settings, nextAtMs: nowMs };
    case 'pausedSet':
      return { ...queue, paused: event.paused };
    case 'governedSet':
      return { ...queue, governed: event.governed };
    case 'drained':
      return { ...queue, draining: true };
    case 'runtimeLost':
      return wakeBy({ ...queue, lostAtMs: queue.lostAtMs ?? nowMs }, nowMs + queue.settings.runtimeLostGraceMs);
    case 'runtimeBack':
      return { ...queue, lostAtMs: undefined };
    case 'adopted':
      return { ...queue, adopted: event.ids };
    case 'adoptedEnded':
      return { ...queue, adopted: queue.adopted.filter((id) => id !== event.id) };
  }
}
