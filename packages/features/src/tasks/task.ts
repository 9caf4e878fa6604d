import type { Clock, Kube, KubeObject, Logger } from '@slipway/kube';
import type { Feature, Progress, TaskArgs, TaskStatus, Transition } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { Neighbour } from '../lifecycle/dependencies.js';
import type { TaskOutcome } from '../lifecycle/task-outcome.js';
import type { UseCounts } from '../uses/count-uses.js';
import type { RollCall } from '../uses/roll-call.js';
import type { Countable } from './extent.js';

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

export interface TaskContext {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the server stops or the transition was superseded. */
  readonly signal: AbortSignal;
  readonly feature: Feature;
  readonly definition: FeatureDefinitionSpec;
  /** Namespace of the feature server. */
  readonly home: string;
  readonly transition: Transition;
  readonly task: TaskStatus;
  /** What the processes run now, counted in the round of the transition. */
  readonly uses: () => UseCounts;
  /** Who has answered in that round, process by process. */
  readonly rollCalls: () => readonly RollCall[];
  /** Other declared features of the namespace. */
  readonly neighbours: () => readonly Neighbour[];
  /**
   * Makes progress durable. After it returned, a crash goes on from `checkpoint`.
   * @throws SupersededError when this task is no longer what should be done.
   */
  save(checkpoint: string, progress?: Progress): Promise<void>;
  /**
   * Called before users' objects are changed, with those that are about to be; `changed` counts those that this
   * task has changed before, in this run or by its checkpoint.
   * @throws SupersededError as `save` does.
   * @throws NotCoveredError when consent is needed, and these objects are not among those that were shown.
   */
  claim(objects: readonly Pick<KubeObject, 'metadata'>[], changed: number): void;
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
