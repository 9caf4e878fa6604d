import { dependencyBlocker } from '../lifecycle/dependencies.js';
import type { Task } from './task.js';

/** Holds a transition until the features it needs, excludes or is needed by are where they must be. */
export const checkDependencies: Task = {
  kind: 'CheckDependencies',
  readOnly: true,
  async run({ definition, transition, neighbours }) {
    const blocker = dependencyBlocker(definition, transition.to, neighbours());
    return blocker ? { kind: 'blocked', ...blocker, eager: true, retryAfterMs: 5_000 } : { kind: 'done' };
  },
};
