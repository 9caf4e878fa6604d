import type { Clock, Kube, KubeObject, Logger } from '@slipway/kube';
import type { Feature, Progress, TaskStatus, Transition } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { Neighbour } from '../lifecycle/dependencies.js';
import type { UseCounts } from '../uses/count-uses.js';
import type { RollCall } from '../uses/roll-call.js';

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
