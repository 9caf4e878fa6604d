import type { Clock, Kube, Logger } from '@slipway/kube';
import type { Feature, Progress, TaskArgs } from '../api/feature.js';
import type { Target } from '../api/target.js';
import { shown } from '../lifecycle/outcome-problem.js';
import type { TaskOutcome } from '../lifecycle/task-outcome.js';
import type { Task } from './task.js';

/** What an author's task is given. */
export interface AuthorContext {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the server stops. Pass it on to everything that waits. */
  readonly signal: AbortSignal;
  readonly feature: Feature;
  readonly to: Target;
  readonly args: TaskArgs;
  /** The same for every run of this task in this transition: use it to do things once. */
  readonly idempotencyKey: string;
  /** What `save` was last called with, in whichever process. */
  readonly checkpoint: string | undefined;
  /** Makes progress durable. Throws when the transition was superseded: let that through. */
  save(checkpoint: string, progress?: Progress): Promise<void>;
}

/** What a run came to. `Running` is run again after `retryAfterMs` (2 s when absent), `Blocked` waits for a person. */
export type AuthorResult =
  | { readonly phase: 'Done'; readonly objects?: number }
  | {
      readonly phase: 'Running' | 'Blocked';
      readonly message: string;
      readonly retryAfterMs?: number;
      readonly progress?: Progress;
      readonly checkpoint?: string;
    };

export type AuthorTask = (context: AuthorContext) => Promise<AuthorResult>;

export interface RegisterTaskOptions {
  /** Changes users' objects, so that it needs consent where cleanup is Manual. */
  readonly destructive?: boolean;
}

/**
 * Makes a kind of task out of a function, for `featureServer({ tasks })`.
 * Definitions name it by `kind`. The function is called again after crashes and waits, so it must be repeatable.
 */
export function registerTask(kind: string, run: AuthorTask, options: RegisterTaskOptions = {}): Task {
  return {
    kind,
    destructive: options.destructive ?? false,
    async run({ kube, clock, log, signal, feature, transition, task, save }) {
      const result = await run({
        kube,
        clock,
        log,
        signal,
        feature,
        to: transition.to,
        args: task.args ?? {},
        idempotencyKey: `${transition.id}/${task.name}`,
        checkpoint: task.checkpoint,
        save,
      });
      return outcomeOfAuthor(result);
    },
  };
}

/** Translates an author's answer into the outcome of the task. */
export function outcomeOfAuthor(result: AuthorResult): TaskOutcome {
  if (!['Done', 'Running', 'Blocked'].includes(result?.phase)) {
    throw new TypeError(`the task must give a phase of Done, Running or Blocked, not ${shown(result)}`);
  }
  if (result.phase === 'Done') {
    return { kind: 'done', ...(result.objects !== undefined && { objects: result.objects }) };
  }
  const { phase, message, retryAfterMs, progress, checkpoint } = result;
  const hold = {
    message,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(progress && { progress }),
    ...(checkpoint !== undefined && { checkpoint }),
  };
  return phase === 'Running'
    ? { kind: 'waiting', reason: 'Waiting', retryAfterMs: 2_000, ...hold }
    : { kind: 'blocked', reason: 'TaskBlocked', ...hold };
}
