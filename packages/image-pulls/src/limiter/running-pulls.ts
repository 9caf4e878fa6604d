import { abandoned, queueUp, replaced } from './pull-lists.js';
import type { Pull, PullQueue, RunningEvent, Stalled } from './queue-state.js';
import { type Step, stepTo, wakeBy } from './queue-step.js';

/** Something happened to a pull that runs. Of one that does not run any more nothing follows. */
export function progress(queue: PullQueue, event: RunningEvent, nowMs: number): Step {
  const pull = queue.running.find(({ id }) => id === event.pullId);
  if (!pull) return stepTo(queue);
  switch (event.kind) {
    case 'ended':
      return end(queue, pull);
    case 'downloads':
      return stopVerifying(queue, pull, nowMs);
    case 'stalled':
      return stall(queue, pull, event, nowMs);
    case 'moved':
      return stepTo(move(queue, pull));
  }
}

function end(queue: PullQueue, pull: Pull): Step {
  const running = queue.running.filter((other) => other !== pull);
  return stepTo({ ...queue, running }, { answer: pull.callers.map((caller) => ({ kind: 'ended', caller, pull })) });
}

/**
 * A tag that was verified beside the slots has moved: it is a download like any other and waits for a slot like
 * any other. The verification counts until it has ended, because the runtime may have begun to fetch.
 */
export function stopVerifying(queue: PullQueue, pull: Pull, nowMs: number): Step {
  if (pull.lane !== 'present' || pull.abandonedAtMs !== undefined) return stepTo(queue);
  const { id: _, startedAtMs: __, ...again } = pull;
  const stopped = abandoned({ ...pull, callers: [], lane: 'place' }, nowMs);
  const running = replaced(queue.running, stopped);
  const queued = queueUp({ ...queue, running }, { ...again, presence: 'absent', lane: 'place' });
  return stepTo(wakeBy(queued, nowMs), { abort: [stopped] });
}

function stall(queue: PullQueue, pull: Pull, { idleMs }: Stalled, nowMs: number): Step {
  if (pull.lane !== 'place' || pull.abandonedAtMs !== undefined) return stepTo(queue);
  const { onStall, abortTimeoutMs } = queue.settings;
  const stalled: Pull = { ...pull, stalledAtMs: nowMs };
  const runsAs = (changed: Pull) => ({ ...queue, running: replaced(queue.running, changed) });
  if (onStall === 'report') return stepTo(runsAs(stalled));
  if (onStall === 'release') return stepTo(runsAs({ ...stalled, lane: 'released' }));
  const stopped = abandoned({ ...stalled, callers: [] }, nowMs);
  const { image, callers } = pull;
  return stepTo(wakeBy(runsAs(stopped), nowMs + abortTimeoutMs), {
    answer: callers.map((caller) => ({ kind: 'refused', caller, image, reason: 'Stalled', idleMs })),
    abort: [stopped],
  });
}

/** A released pull that moves again counts again. */
function move(queue: PullQueue, pull: Pull): PullQueue {
  if (pull.stalledAtMs === undefined) return queue;
  const { stalledAtMs: _, ...moving } = pull;
  return { ...queue, running: replaced(queue.running, { ...moving, lane: 'place' }) };
}
