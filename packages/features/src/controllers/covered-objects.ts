import type { KubeObject } from '@slipway/kube';
import type { Consent, TaskStatus, Transition } from '../api/feature.js';
import { changedBefore, type Extent, extentProblem } from '../lifecycle/consent.js';
import { extentOf } from '../tasks/extent.js';
import { NotCoveredError, SupersededError } from '../tasks/task.js';
import type { TaskContext } from '../tasks/task-context.js';

/** What the objects that a task changes are held against. */
export interface CoverInput {
  readonly transition: Transition;
  readonly task: TaskStatus;
  /** Absent where no consent is needed. */
  readonly consent?: Consent | undefined;
  readonly now: () => number;
  readonly isCurrent: () => boolean;
}

/** Lets a task change only objects that the consent it runs under was given for, while that holds. */
export function coveredObjects({ transition, task, consent, now, isCurrent }: CoverInput) {
  const requireCovered = (extent: Extent, changed: number): void => {
    if (!consent) return;
    const shown = consent.objects.find((objects) => objects.task === task.name);
    const problem = extentProblem(shown, extent, changedBefore(transition, task) + changed);
    if (problem !== undefined) throw new NotCoveredError(problem);
  };
  const claim: TaskContext['claim'] = (objects: readonly Pick<KubeObject, 'metadata'>[], changed) => {
    if (!isCurrent()) throw new SupersededError(transition.id);
    if (!consent || objects.length === 0) return;
    if (now() >= Date.parse(consent.expires)) throw new NotCoveredError(`the consent expired at ${consent.expires}`);
    requireCovered(extentOf(objects), changed);
  };
  return { requireCovered, claim };
}
