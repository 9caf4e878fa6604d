import type { Task } from './task.js';

/** Tells processes that follow the feature which value to run. Writing the outcome is the publishing. */
export const publish: Task = {
  kind: 'Publish',
  readOnly: true,
  async run({ transition }) {
    return { kind: 'done', publish: transition.to === 'On' };
  },
};
