import type { FeatureStatus, GuardStatus, TaskStatus, Transition } from '../api/feature.js';
import { backoffMs } from './backoff.js';
import { withdrawConsent } from './consent.js';
import { andThen, type Decision, normal, type StepEvent, warning } from './decision.js';
import { clearingTasks, planFor, plannedKinds } from './plan.js';
import type { KnownDefinition, Situation } from './situation.js';
import { publishing, steers } from './steering.js';
import type { Hold, TaskOutcome } from './task-outcome.js';
import { at, complete, repeatBefore, withHead } from './transition.js';

/** Maximum number of times the clearing tasks are repeated. After that a person has to act. */
const maxLoops = 5;

/** Returns the outcome of the head task; undefined if it belongs to another transition or task. */
export function outcomeOf({ status, report }: Situation): TaskOutcome | undefined {
  const { transition } = status;
  const isCurrent = report && report.transition === transition?.id && report.task === transition.tasks[0]?.name;
  return isCurrent ? report.outcome : undefined;
}

/** Applies the outcome of the head task to the status. */
export function applyOutcome(
  status: FeatureStatus,
  outcome: TaskOutcome,
  situation: Situation,
  definition: KnownDefinition,
): Decision {
  const { transition } = status;
  const head = transition?.tasks[0];
  if (!transition || !head) return { status };

  switch (outcome.kind) {
    case 'done':
      return completeHead(status, transition, head, outcome, situation);
    case 'found':
      return repeatClearing({ ...status, dangling: outcome.dangling }, head, situation, definition);
    case 'failed':
      return delayHead(status, head, outcome, situation);
    case 'waiting':
    case 'blocked':
      return hold(withFindings(status, outcome, situation), outcome, situation);
    case 'uncovered':
      return { status: withdrawConsent(status, outcome.consent, outcome.message) };
    case 'rollback':
      return { status };
  }
}

function completeHead(
  status: FeatureStatus,
  { seq }: Transition,
  head: TaskStatus,
  outcome: Extract<TaskOutcome, { kind: 'done' }>,
  situation: Situation,
): Decision {
  const { result = 'Done', publish, dangling, objects, guard, note } = outcome;
  const { guard: before, ...rest } = status;
  const inForce = guard === undefined ? before : guard === 'removed' ? undefined : guard;
  const updated: FeatureStatus = {
    ...rest,
    ...(inForce && { guard: inForce }),
    ...(publish !== undefined && { published: publishing(publish, seq, situation) }),
    ...(dangling && { dangling }),
  };
  const end = {
    result,
    ...(objects !== undefined && { objects }),
    ...(note !== undefined && { note: shortened(note) }),
  };
  return {
    status: complete(updated, end, situation.nowMs),
    events: [...completionEvents(head, outcome), ...guardEvents(before, guard)],
  };
}

function completionEvents(head: TaskStatus, outcome: Extract<TaskOutcome, { kind: 'done' }>): readonly StepEvent[] {
  const { result = 'Done', objects, note } = outcome;
  const count = objects === undefined ? '' : `, ${objects} objects`;
  return [
    ...(result === 'Waived' ? [warning('WaiverUsed', `${head.name} was waived: ${note ?? ''}`)] : []),
    ...(plannedKinds.includes(head.kind) ? [] : [normal('TaskCompleted', `${head.name}: ${result}${count}`)]),
  ];
}

function guardEvents(before: GuardStatus | undefined, now: GuardStatus | 'removed' | undefined): readonly StepEvent[] {
  if (now === 'removed') return before ? [normal('GuardRemoved', 'the feature may be used again')] : [];
  if (!now || before) return [];
  return [normal('GuardInstalled', `new uses are kept out by ${now.policies.join(', ')}`)];
}

/** Retries a failed head task after a delay that grows, or blocks when it failed too often. */
function delayHead(
  status: FeatureStatus,
  head: TaskStatus,
  outcome: Extract<TaskOutcome, { kind: 'failed' }>,
  { nowMs, chance }: Situation,
): Decision {
  const attempts = (head.attempts ?? 0) + 1;
  const waitMs = Math.max(outcome.retryAfterMs ?? 0, backoffMs(attempts, 1_000, 300_000, chance));
  const retryTime = at(nowMs + waitMs);
  const message = shortened(outcome.message);
  const isFinal = attempts >= (outcome.blocksAfter ?? Number.POSITIVE_INFINITY);
  const [phase, reason] = isFinal ? (['Blocked', 'TaskFailed'] as const) : (['Waiting', 'Retrying'] as const);
  const isNew = isFinal && head.reason !== reason;
  return {
    status: withHead(status, { ...head, phase, reason, message, attempts, retryTime }),
    events: isNew ? [warning('TaskBlocked', `${head.name}: ${message}`)] : [],
  };
}

/** Adds what an unfinished task found, and the processes that take the value already. */
function withFindings(status: FeatureStatus, { dangling, rules }: Hold, situation: Situation): FeatureStatus {
  const { transition, published } = status;
  const value =
    rules && transition && publishing(published?.value ?? transition.to !== 'On', transition.seq, situation);
  return { ...status, ...(dangling && { dangling }), ...(value && { published: { ...value, rules } }) };
}

/** Keeps the head task, with the reason in its status. */
function hold(
  status: FeatureStatus,
  { kind, ...details }: Hold & { readonly kind: 'waiting' | 'blocked' },
  { nowMs, chance }: Pick<Situation, 'nowMs' | 'chance'>,
): Decision {
  const head = status.transition?.tasks[0];
  if (!head) return { status };
  const { reason, message, eager, progress, checkpoint } = details;
  const isNew = kind === 'blocked' && head.reason !== reason;
  const advanced = checkpoint !== undefined && checkpoint !== head.checkpoint;
  const attempts = eager || advanced ? 0 : (head.attempts ?? 0) + 1;
  const waitMs = details.retryAfterMs ?? backoffMs(Math.max(1, attempts), 30_000, 600_000, chance);
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
  return {
    status: withHead(status, next),
    events: isNew ? [warning('TaskBlocked', `${head.name}: ${message}`)] : [],
    ...(eager && { wakeAfterMs: waitMs }),
  };
}

/** T16: the proof failed. Repeats the tasks that clear uses, unless there are none or it was done too often. */
function repeatClearing(
  status: FeatureStatus,
  head: TaskStatus,
  situation: Situation,
  definition: KnownDefinition,
): Decision {
  const { spec, settable, cleanup, isDestructive } = situation;
  const steered = steers(spec, settable);
  const plan = planFor({ definition: definition.spec, to: 'Off', steered, isDestructive });
  const again = clearingTasks(plan).filter((task) => !(task.destructive && cleanup === 'Never'));
  const loops = status.transition?.loops ?? 0;
  const count = status.dangling?.count ?? 0;
  const events = loops === 0 ? [warning('DanglingFound', `${count} objects still use ${spec.gate}`)] : [];
  if (again.length > 0 && loops < maxLoops) return { status: repeatBefore(status, again), events };

  const managers = [...new Set((status.dangling?.samples ?? []).flatMap((sample) => sample.managers))].join(', ');
  const remaining: Hold =
    again.length > 0
      ? {
          reason: 'Reappearing',
          message: `${count} objects use ${spec.gate} again after ${loops} rounds${managers && `, written by ${managers}`}`,
        }
      : { reason: 'ObjectsRemain', message: `${count} objects still use ${spec.gate}, and nothing may clear them` };
  const { checkpoint: _scans, ...proof } = head;
  return andThen({ status: withHead(status, proof), events }, (current) =>
    hold(current, { kind: 'blocked', ...remaining }, situation),
  );
}

/** A message as a status can hold it: at most 512 characters. */
export function shortened(message: string): string {
  return message.length <= 512 ? message : `${message.slice(0, 511)}…`;
}
