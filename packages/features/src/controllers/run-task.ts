import { errorMessage, hasReason, type Kube, type Logger, StatusError } from '@slipway/kube';
import { type Consent, Feature, type Progress, type TaskStatus } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { TaskCatalog } from '../catalogue/task-catalog.js';
import type { Neighbour } from '../lifecycle/dependencies.js';
import { blocksAfter } from '../lifecycle/failure.js';
import { withTaskAtWork, workOf } from '../lifecycle/maintenance.js';
import { fieldProblem, outcomeProblem } from '../lifecycle/outcome-problem.js';
import type { Blocker } from '../lifecycle/situation.js';
import type { TaskOutcome, TaskReport } from '../lifecycle/task-outcome.js';
import { NotCoveredError, SupersededError } from '../tasks/task.js';
import type { UseCounts } from '../uses/count-uses.js';
import type { RollCall } from '../uses/roll-call.js';
import { coveredObjects } from './covered-objects.js';
import { rightsRemedy } from './rights-remedy.js';
import { writeStatus } from './write-status.js';

/** When to ask again whether a right was given meanwhile. */
export const permissionMs = 15_000;

export interface TaskRun {
  readonly kube: Kube;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly tasks: TaskCatalog;
  /** Namespace of the feature server. */
  readonly home: string;
  /** As it is stored, with `task` at the head of its transition, or of its maintenance. */
  readonly feature: Feature;
  readonly definition: FeatureDefinitionSpec;
  readonly task: TaskStatus;
  /** Which the task needs to change users' objects; absent where it needs none. */
  readonly consent?: Consent | undefined;
  /** Whether the spec and the definition are, as far as is known, still those that were decided upon. */
  readonly isCurrent: () => boolean;
  readonly uses: () => UseCounts;
  readonly rollCalls: () => readonly RollCall[];
  readonly neighbours: () => readonly Neighbour[];
  /** Why the authors of the definition and the Feature may not have the task done. Asked before each of its steps. */
  readonly blocker: () => Promise<Blocker | undefined>;
}

/** What a task came to, and the Feature as the task's own progress left it. */
export interface TaskRan {
  readonly report: TaskReport;
  readonly feature: Feature;
}

/**
 * Runs the head task once. What the API refused becomes an outcome: worth
 * repeating, or for a person to see to.
 * @throws SupersededError when the task found out that something else is wanted now.
 */
export async function runTask(run: TaskRun): Promise<TaskRan> {
  const { kube, log, signal, tasks, home, definition, task, consent, isCurrent, uses, rollCalls, neighbours } = run;
  const { blocker } = run;
  const transition = workOf(run.feature.status);
  const kind = tasks.get(task.kind);
  if (!transition) throw new SupersededError('of another time');
  let feature = run.feature;
  const save = async (checkpoint: string, progress?: Progress) => {
    const problem = fieldProblem({ checkpoint, progress });
    if (problem !== undefined) throw new TypeError(problem);
    const saved = { ...task, checkpoint, ...(progress && { progress }) };
    feature = await saveProgress(kube, feature, transition.id, saved, signal);
    const isSame = feature.metadata.generation === run.feature.metadata.generation && isCurrent();
    if (!isSame) throw new SupersededError(transition.id);
    await demandRights(blocker);
  };
  const now = () => kube.clock.now();
  const { requireCovered, claim } = coveredObjects({ transition, task, consent, now, isCurrent });

  const attempt = async (): Promise<TaskOutcome> => {
    if (!kind) {
      const message = `this server does not know tasks of kind ${task.kind}`;
      return { kind: 'blocked', reason: 'UnknownTask', message };
    }
    try {
      await demandRights(blocker);
      const context = { kube, clock: kube.clock, log, signal, feature, definition, home, transition, task };
      if (consent && kind.extent) {
        const extent = await kind.extent.count({ ...context, args: task.args ?? {} });
        requireCovered(extent, kind.extent.changed(task.checkpoint));
      }
      return await kind.run({ ...context, uses, rollCalls, neighbours, save, claim });
    } catch (error) {
      if (error instanceof SupersededError || signal.aborted) throw error;
      if (error instanceof NotCoveredError && consent) return { kind: 'uncovered', consent, message: error.message };
      if (error instanceof NotPermittedError) return { kind: 'blocked', ...error.blocker, retryAfterMs: permissionMs };
      return outcomeOf(error, feature, task.kind);
    }
  };
  const outcome = checked(await attempt(), task);
  return { feature, report: { transition: transition.id, task: task.name, outcome } };
}

/** An author of the definition or of the Feature lacks a right that the task needs, or is not known. */
class NotPermittedError extends Error {
  override readonly name = 'NotPermittedError';
  readonly blocker: Blocker;

  constructor(blocker: Blocker) {
    super(blocker.message);
    this.blocker = blocker;
  }
}

async function demandRights(blocker: TaskRun['blocker']): Promise<void> {
  const found = await blocker();
  if (found) throw new NotPermittedError(found);
}

/** What a task came to, unless a status cannot hold that: then it is a failure. */
function checked(outcome: TaskOutcome, { name }: TaskStatus): TaskOutcome {
  const problem = outcomeProblem(outcome);
  if (problem === undefined) return outcome;
  return {
    kind: 'failed',
    message: `${name} gave what a status cannot hold: ${problem}`,
    blocksAfter: blocksAfter.likely,
  };
}

/** Writes progress even if the Feature was written meanwhile, as long as the same task of the same transition is at its head. */
async function saveProgress(
  kube: Kube,
  known: Feature,
  transition: string,
  task: TaskStatus,
  signal: AbortSignal,
): Promise<Feature> {
  for (let feature = known; ; ) {
    try {
      return await writeStatus(kube, feature, withTaskAtWork(feature.status ?? {}, task), signal);
    } catch (error) {
      if (hasReason(error, 'NotFound')) throw new SupersededError(transition);
      if (!hasReason(error, 'Conflict')) throw error;
    }
    const { name = '', namespace } = known.metadata;
    const current = await kube.resource(Feature).find({ name, namespace }, signal);
    const running = workOf(current?.status);
    if (!current || running?.id !== transition || running.tasks[0]?.name !== task.name) {
      throw new SupersededError(transition);
    }
    feature = current;
  }
}

function outcomeOf(error: unknown, feature: Feature, kind: string): TaskOutcome {
  const message = errorMessage(error);
  if (!(error instanceof StatusError)) return { kind: 'failed', message, blocksAfter: blocksAfter.away };
  if (error.code === 401 || error.code === 403) {
    const remedied = `${message}; ${rightsRemedy(feature, kind)}`;
    return { kind: 'blocked', reason: 'Forbidden', message: remedied, retryAfterMs: permissionMs };
  }
  const retryAfterSeconds = error.status.details?.retryAfterSeconds;
  return {
    kind: 'failed',
    message,
    // The same request will be rejected again.
    ...([400, 404, 405, 415, 422].includes(error.code) && { blocksAfter: blocksAfter.likely }),
    ...(retryAfterSeconds !== undefined && { retryAfterMs: retryAfterSeconds * 1000 }),
  };
}
