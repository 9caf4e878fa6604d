import type { TaskArgs } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { TaskOutcome } from '../lifecycle/task-outcome.js';
import type { Countable } from './extent.js';
import type { TaskContext } from './task-context.js';

/**
 * One kind of thing that can hold a transition.
 *
 * `run` is called again after a crash, after a wait and after a new plan, so it
 * must be repeatable; what it needs to go on from goes into the checkpoint. It may
 * throw what the API threw: that is retried, or shown when it needs a person.
 */
export interface Task {
  readonly kind: string;
  /** Whether tasks of this kind change users' objects unless their definition says otherwise. */
  readonly destructive?: boolean;
  /** Changes nothing itself, so that running it on an outdated view does no harm. */
  readonly readOnly?: boolean;
  /** How the objects that it changes are counted, where they can be: consent is to as many. */
  readonly extent?: Countable;
  /** What is wrong with a definition's use of it, in sentences; empty when nothing is. */
  readonly check?: (args: TaskArgs, definition: FeatureDefinitionSpec) => readonly string[];
  run(context: TaskContext): Promise<TaskOutcome>;
}

/** The consent that a task runs under does not cover what it is about to do. */
export class NotCoveredError extends Error {
  override readonly name = 'NotCoveredError';
}

/** The desired state changed meanwhile; the task must not continue. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError';

  constructor(transition: string) {
    super(`transition ${transition} was superseded`);
  }
}
