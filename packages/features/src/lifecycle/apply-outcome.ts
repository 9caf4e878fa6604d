import type { FeatureStatus, TaskStatus } from '../api/feature.js';
import { backoffMs } from './backoff.js';
import { withdrawConsent } from './consent.js';
import { type Effect, normal, warning } from './effect.js';
import { clearingTasks, planFor, plannedKinds } from './plan.js';
import type { KnownDefinition, Situation } from './situation.js';
import { publishing, steers } from './steering.js';
import type { Hold, TaskOutcome } from './task-outcome.js';
import { at, complete, repeatBefore, withHead } from './transition.js';

/** How often uses may come back before a person has to look. */
const mostLoops = 5;

/** The outcome of the head task, unless it is of another transition or task: then somebody decided anew meanwhile. */
export function outcomeOf({ status, report }: Situation): TaskOutcome | undefined {
  const { transition } = status;
  const isCurrent = report && report.transition === transition?.id && report.task === transition.tasks[0]?.name;
  return isCurrent ? report.outcome : undefined;
}

/** Takes in what running the head task gave. */
export function applyOutcome(
  status: FeatureStatus,
  outcome: TaskOutcome,
  situation: Situation,
  definition: KnownDefinition,
  effects: Effect[],
): FeatureStatus {
  const { nowMs, chance } = situation;
  const { transition } = status;
  const head = transition?.tasks[0];
  if (!transition || !head) return status;

  switch (outcome.kind) {
    case 'done': {
      const { result = 'Done', publish, dangling, objects, guard, note } = outcome;
      if (result === 'Waived') effects.push(warning('WaiverUsed', `${head.name} was waived: ${note ?? ''}`));
      if (!plannedKinds.includes(head.kind)) {
        const count = objects === undefined ? '' : `, ${objects} objects`;
        effects.push(normal('TaskCompleted', `${head.name}: ${result}${count}`));
      }
      const { guard: before, ...rest } = status;
      if (guard && guard !== 'removed' && !before) {
        effects.push(normal('GuardInstalled', `new uses are kept out by ${guard.policies.join(', ')}`));
      }
      if (guard === 'removed' && before) effects.push(normal('GuardRemoved', 'the feature may be used again'));
      const inForce = guard === undefined ? before : guard === 'removed' ? undefined : guard;
      const noted: FeatureStatus = {
        ...rest,
        ...(inForce && { guard: inForce }),
        ...(publish !== undefined && { published: publishing(publish, transition.seq, situation) }),
        ...(dangling && { dangling }),
      };
      const end = {
        result,
        ...(objects !== undefined && { objects }),
        ...(note !== undefined && { note: shortened(note) }),
      };
      return complete(noted, end, nowMs);
    }
    case 'found':
      return foundAgain({ ...status, dangling: outcome.dangling }, head, situation, definition, effects);
    case 'failed': {
      const attempts = (head.attempts ?? 0) + 1;
      const waitMs = Math.max(outcome.retryAfterMs ?? 0, backoffMs(attempts, 1_000, 300_000, chance));
      const retryTime = at(nowMs + waitMs);
      const message = shortened(outcome.message);
      const isFinal = attempts >= (outcome.blocksAfter ?? Number.POSITIVE_INFINITY);
      const [phase, reason] = isFinal ? (['Blocked', 'TaskFailed'] as const) : (['Waiting', 'Retrying'] as const);
      if (isFinal && head.reason !== reason) effects.push(warning('TaskBlocked', `${head.name}: ${message}`));
      return withHead(status, { ...head, phase, reason, message, attempts, retryTime });
    }
    case 'waiting':
    case 'blocked':
      return held(noted(status, outcome, situation), outcome, situation, effects);
    case 'uncovered':
      return withdrawConsent(status, outcome.consent, outcome.message);
    case 'rollback':
      return status;
  }
}

/** What a task that goes on has found, and whom it tells of the value meanwhile. */
function noted(status: FeatureStatus, { dangling, rules }: Hold, situation: Situation): FeatureStatus {
  const { transition, published } = status;
  const told = rules && transition && publishing(published?.value ?? transition.to !== 'On', transition.seq, situation);
  return { ...status, ...(dangling && { dangling }), ...(told && { published: { ...told, rules } }) };
}

/** Keeps the head task where it is, with the reason in its status. */
function held(
  status: FeatureStatus,
  { kind, ...hold }: Hold & { readonly kind: 'waiting' | 'blocked' },
  { nowMs, chance }: Pick<Situation, 'nowMs' | 'chance'>,
  effects: Effect[],
): FeatureStatus {
  const head = status.transition?.tasks[0];
  if (!head) return status;
  const { reason, message, eager, progress, checkpoint } = hold;
  if (kind === 'blocked' && head.reason !== reason) {
    effects.push(warning('TaskBlocked', `${head.name}: ${message}`));
  }
  const advanced = checkpoint !== undefined && checkpoint !== head.checkpoint;
  const attempts = eager || advanced ? 0 : (head.attempts ?? 0) + 1;
  const waitMs = hold.retryAfterMs ?? backoffMs(Math.max(1, attempts), 30_000, 600_000, chance);
  if (eager) effects.push({ kind: 'wakeAfter', ms: waitMs });
  const { retryTime: _passed, attempts: _counted, ...rest } = head;
  const next: TaskStatus = {
    ...rest,
    phase: kind === 'blocked' ? 'Blocked' : 'Waiting',
    reason,
    message: shortened(message),
    ...(attempts > 0 && { attempts }),
    ...(!eager && { retryTime: at(nowMs + waitMs) }),
    ...(progress && { progress }),
    ...(checkpoint !== undefined && { checkpoint }),
  };
  return withHead(status, next);
}

/** T16: the proof failed. What clears is run once more, unless nothing can or it did not help often enough. */
function foundAgain(
  status: FeatureStatus,
  head: TaskStatus,
  situation: Situation,
  definition: KnownDefinition,
  effects: Effect[],
): FeatureStatus {
  const { spec, settable, cleanup, isDestructive } = situation;
  const steered = steers(spec, settable);
  const plan = planFor({ definition: definition.spec, to: 'Off', steered, isDestructive });
  const again = clearingTasks(plan).filter((task) => !(task.destructive && cleanup === 'Never'));
  const loops = status.transition?.loops ?? 0;
  const count = status.dangling?.count ?? 0;
  if (loops === 0) effects.push(warning('DanglingFound', `${count} objects still use ${spec.gate}`));
  if (again.length > 0 && loops < mostLoops) return repeatBefore(status, again);

  const managers = [...new Set((status.dangling?.samples ?? []).flatMap((sample) => sample.managers))].join(', ');
  const hold: Hold =
    again.length > 0
      ? {
          reason: 'Reappearing',
          message: `${count} objects use ${spec.gate} again after ${loops} rounds${managers && `, written by ${managers}`}`,
        }
      : { reason: 'ObjectsRemain', message: `${count} objects still use ${spec.gate}, and nothing may clear them` };
  const { checkpoint: _scans, ...proof } = head;
  return held(withHead(status, proof), { kind: 'blocked', ...hold }, situation, effects);
}

/** A message as a status can hold it: at most 512 characters. */
export function shortened(message: string): string {
  return message.length <= 512 ? message : `${message.slice(0, 511)}…`;
}
