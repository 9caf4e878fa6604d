import { durationMs } from '../api/duration.js';
import { disagreement } from './disagreement.js';
import type { Task } from './task.js';

const stragglersAfterMs = 30 * 60_000;

/**
 * Holds a transition until every process that should report has reported the target value.
 *
 * Silence is not agreement: a process on the roster without evidence in this round
 * blocks, and the message names it. The round was opened with the transition.
 */
export const waitForUses: Task = {
  kind: 'WaitForUses',
  readOnly: true,
  async run({ feature, transition, task, uses, clock }) {
    const counted = uses();
    const open = disagreement(counted, transition.to, feature.spec.gate);
    if (!open) return { kind: 'done' };

    const matching = transition.to === 'On' ? counted.on : counted.off;
    const progress = { done: matching, total: counted.expected, unit: 'processes' };
    const waitedMs = clock.now() - Date.parse(task.firstAttempt ?? transition.startedAt);
    if (waitedMs >= durationMs(feature.spec.uses?.stragglersAfter, stragglersAfterMs)) {
      const { message } = open;
      return { kind: 'blocked', reason: 'Stragglers', message, progress, eager: true, retryAfterMs: 5_000 };
    }
    return { kind: 'waiting', ...open, progress, eager: true, retryAfterMs: 2_000 };
  },
};
