import type {
  CompletedTask,
  FeatureStatus,
  PastTransition,
  PlannedTask,
  TaskStatus,
  Transition,
} from '../api/feature.js';
import type { Target } from '../api/target.js';
import { planDigest, sameTask } from './plan.js';

/** Newest transitions that a status remembers. */
const historyLimit = 10;

export interface Beginning {
  readonly id: string;
  readonly to: Target;
  readonly cause: string;
  readonly plan: readonly PlannedTask[];
  readonly nowMs: number;
}

/**
 * Starts a transition, and ends the running one if there is one. The number of
 * the transition rises, so results of an older one can be told apart.
 */
export function begin(status: FeatureStatus, { id, to, cause, plan, nowMs }: Beginning): FeatureStatus {
  const seq = (status.transitions ?? 0) + 1;
  const transition: Transition = {
    id,
    seq,
    to,
    cause,
    startedAt: at(nowMs),
    ...(status.transition && { supersedes: status.transition.id }),
    plan: planDigest(plan, to, seq),
    tasks: plan.map(pendingTask),
    completed: [],
  };
  const state = to === 'On' ? 'TurningOn' : 'TurningOff';
  const { dangling, ...rest } = status;
  return {
    ...rest,
    // What was found before the feature is used again says nothing about what comes after.
    ...(dangling && to === 'Off' && { dangling }),
    state,
    ...(status.state !== state && { stateSince: at(nowMs) }),
    transitions: seq,
    transition,
    backup: status.backup ?? id,
    ...(status.transition && { history: remember(status, 'Superseded', nowMs) }),
  };
}

/** A new plan for the same target: what is done and unchanged stays done, the task at work keeps its place. */
export function replan(status: FeatureStatus, id: string, plan: readonly PlannedTask[], nowMs: number): FeatureStatus {
  const old = status.transition;
  if (!old) return status;
  const seq = (status.transitions ?? 0) + 1;
  const completed = old.completed.filter((done) => plan.some((task) => sameTask(task, done)));
  const tasks = plan
    .filter((task) => !completed.some((done) => sameTask(task, done)))
    .map((task) => old.tasks.find((known) => sameTask(known, task)) ?? pendingTask(task));
  const transition: Transition = { ...old, id, seq, plan: planDigest(plan, old.to, seq), tasks, completed, loops: 0 };
  return { ...status, transitions: seq, transition, history: remember(status, 'Replanned', nowMs) };
}

/** How a task ended. */
export type TaskEnd = Pick<CompletedTask, 'result' | 'objects' | 'note'>;

/** Moves the head task to the completed ones. */
export function complete(status: FeatureStatus, end: TaskEnd, nowMs: number): FeatureStatus {
  const transition = status.transition;
  const head = transition?.tasks[0];
  if (!transition || !head) return status;
  const startedMs = headStartedMs(transition);
  const done: CompletedTask = {
    name: head.name,
    kind: head.kind,
    argsDigest: head.argsDigest,
    at: at(nowMs),
    seconds: Math.max(0, Math.round((nowMs - startedMs) / 1000)),
    ...end,
  };
  return {
    ...status,
    transition: { ...transition, tasks: transition.tasks.slice(1), completed: [...transition.completed, done] },
  };
}

/** When the first attempt of the task at work began, or what came before it ended; Unix time in milliseconds. */
export function headStartedMs({ tasks, completed, startedAt }: Transition): number {
  return Date.parse(tasks[0]?.firstAttempt ?? completed.at(-1)?.at ?? startedAt);
}

/** The end: the state becomes what the transition was for. Only with no task left. */
export function settle(status: FeatureStatus, nowMs: number): FeatureStatus {
  const { transition, backup, ...rest } = status;
  if (!transition || transition.tasks.length > 0) return status;
  return {
    ...rest,
    ...(transition.to === 'Off' && backup !== undefined && { backup }),
    state: transition.to,
    stateSince: at(nowMs),
    history: remember(status, wasWaived(transition) ? 'Waived' : 'Completed', nowMs),
  };
}

/** Whether something was passed over on the way. */
export function wasWaived({ completed }: Transition): boolean {
  return completed.some(({ result }) => result === 'Waived');
}

/** Puts tasks before the last one, which found that they are needed once more. */
export function repeatBefore(status: FeatureStatus, tasks: readonly PlannedTask[]): FeatureStatus {
  const { transition } = status;
  if (!transition) return status;
  const [proof, ...rest] = transition.tasks;
  const remaining = [...tasks.map(pendingTask), ...(proof ? [pendingTask(proof)] : []), ...rest];
  return { ...status, transition: { ...transition, loops: (transition.loops ?? 0) + 1, tasks: remaining } };
}

/** Replaces the head task. */
export function withHead(status: FeatureStatus, head: TaskStatus): FeatureStatus {
  const { transition } = status;
  if (!transition) return status;
  return { ...status, transition: { ...transition, tasks: [head, ...transition.tasks.slice(1)] } };
}

export function at(ms: number): string {
  return new Date(ms).toISOString();
}

/** A task that has not begun. */
export function pendingTask({ name, kind, args, argsDigest, destructive }: PlannedTask): TaskStatus {
  return { name, kind, ...(args && { args }), argsDigest, ...(destructive && { destructive }), phase: 'Pending' };
}

function remember(status: FeatureStatus, result: PastTransition['result'], nowMs: number): readonly PastTransition[] {
  const { transition, history = [], backup } = status;
  if (!transition) return history;
  const { id, to, cause, startedAt, completed } = transition;
  const note = completed.flatMap((task) => (task.note === undefined ? [] : `${task.name}: ${task.note}`)).join('; ');
  const past = {
    id,
    to,
    cause,
    startedAt,
    endedAt: at(nowMs),
    ...(backup !== undefined && backup !== id && { backup }),
    result,
    ...(note && { note: note.slice(0, 512) }),
  };
  return [past, ...history].slice(0, historyLimit);
}
