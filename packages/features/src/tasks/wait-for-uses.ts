import { durationMs } from '../api/duration.js';
import { disagreement, onlyOutOfReach, passedOver } from './disagreement.js';
import type { Task } from './task.js';

const stragglersAfterMs = 30 * 60_000;
/** Given to processes that only a report of their own could make known. */
const outOfReachAfterMs = 60_000;

/**
 * Holds a transition until every process that should report has reported the target value.
 *
 * Silence is not agreement: a process on the roster without evidence in this round
 * blocks, and the message names it. The round was opened with the transition. Only a
 * waiver, or a policy that lets so many silent ones be, lets it go on; then it says so. When only processes are
 * missing that nothing can read, as of a managed control plane, waiting is of no use: it says so after a minute.
 */
export const waitForUses: Task = {
  kind: 'WaitForUses',
  readOnly: true,
  async run({ feature, transition, task, uses, clock }) {
    const counted = uses();
    const { gate, waivers, uses: policy = {} } = feature.spec;
    const waitedMs = clock.now() - Date.parse(task.firstAttempt ?? transition.startedAt);
    const isLate = waitedMs >= durationMs(policy.stragglersAfter, stragglersAfterMs);
    const proceeds = isLate && policy.stragglerAction === 'Proceed';
    const isHopeless = waitedMs >= outOfReachAfterMs && onlyOutOfReach(counted, transition.to);
    const open = disagreement(counted, transition.to, gate, proceeds ? policy.maxSilent : 0);
    if (!open) {
      const note = passedOver(counted, transition.to, waivers);
      return note === '' ? { kind: 'done' } : { kind: 'done', result: 'Waived', note };
    }

    const matching = transition.to === 'On' ? counted.on : counted.off;
    const progress = { done: matching, total: counted.expected, unit: 'processes' };
    if (isLate || isHopeless) {
      const { message } = open;
      return { kind: 'blocked', reason: 'Stragglers', message, progress, eager: true, retryAfterMs: 5_000 };
    }
    return { kind: 'waiting', ...open, progress, eager: true, retryAfterMs: 2_000 };
  },
};
