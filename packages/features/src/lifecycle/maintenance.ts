import type { CompletedTask, FeatureSpec, FeatureStatus, Maintenance, TaskStatus, Transition } from '../api/feature.js';
import { applyOutcome, outcomeOf } from './apply-outcome.js';
import { andThen, type Decision, normal } from './decision.js';
import { nextTask } from './next-task.js';
import { sameTask } from './plan.js';
import type { KnownDefinition, Situation } from './situation.js';
import { at, pendingTask, withHead } from './transition.js';
import { type VersionPlan, versionPlan } from './version-tasks.js';
import { compareVersions, minorVersion, type VersionRange, versionToLeave } from './versions.js';

/**
 * Runs the tasks that a definition declares for before or after the cluster moves to another version. Neither the
 * published value nor the state changes, so this is only for features without a transition.
 */
export function maintain(before: FeatureStatus, situation: Situation, definition: KnownDefinition): Decision {
  const current = maintenanceOf(before, situation, definition);
  const status = noteReached(before, situation, current);
  if (!current) return { status };
  const requested: FeatureStatus = { ...status, maintenance: current };
  const isNew = current.id !== status.maintenance?.id;
  const begun = { status: requested, events: isNew ? [normal('MaintenanceStarted', causeOf(current))] : [] };
  if (current.tasks.length === 0) return begun;
  return andThen(begun, () => advance(requested, current, situation, definition));
}

/** Steps the maintenance as if it were a transition. */
function advance(
  status: FeatureStatus,
  current: Maintenance,
  situation: Situation,
  definition: KnownDefinition,
): Decision {
  const working: FeatureStatus = { ...status, transition: asTransition(current, status) };
  const outcome = outcomeOf({ ...situation, status: working });
  const applied = outcome ? applyOutcome(working, outcome, situation, definition) : { status: working };
  const decision = andThen(applied, (after) =>
    after.transition?.tasks.length === 0
      ? { status: after, events: [normal('MaintenanceCompleted', causeOf(current))] }
      : nextTask(after, situation, outcome),
  );
  return { ...decision, status: settled(decision.status, current) };
}

/** Whether a task is over and was not run: waived, or skipped for `cleanup: Never`. One that found nothing to do has a count. */
export function wasPassedOver({ result, objects }: CompletedTask): boolean {
  return result === 'Waived' || (result === 'Skipped' && objects === undefined);
}

/** Returns the running transition, or else the maintenance in the shape of one. */
export function workOf(status: FeatureStatus = {}): Transition | undefined {
  return status.transition ?? (status.maintenance && asTransition(status.maintenance, status));
}

/** The backup that the task at work adds to. */
export function backupAtWork({ transition, backup, maintenance }: FeatureStatus): string | undefined {
  return transition ? (backup ?? transition.id) : maintenance && backupOf(maintenance);
}

/** Replaces the task at work, wherever that is. */
export function withTaskAtWork(status: FeatureStatus, task: TaskStatus): FeatureStatus {
  if (status.transition || !status.maintenance) return withHead(status, task);
  const { maintenance } = status;
  return { ...status, maintenance: { ...maintenance, tasks: [task, ...maintenance.tasks.slice(1)] } };
}

/** The maintenance that should be under way: the one that is, with what has become due, or a new one. */
function maintenanceOf(
  { maintenance, targetReached }: FeatureStatus,
  { spec, clusterVersions, nowMs, newId, isDestructive }: Situation,
  definition: KnownDefinition,
): Maintenance | undefined {
  const { targetVersion, targetRequest: request } = spec;
  if (targetVersion === undefined || clusterVersions === undefined) return maintenance;
  if (targetReached === targetOf(spec)) return maintenance;
  const to = minorVersion(targetVersion);
  // Reached before, and left since: the way there is another one now.
  const hasLeft = targetReached?.split(' ')[0] === to && !isAt(clusterVersions, to);
  const from = maintenance?.to === to && !hasLeft ? maintenance.from : versionToLeave(clusterVersions, to);
  const plan = versionPlan(definition.spec, { from, to, request }, isDestructive);
  if (!plan) return maintenance;
  const known = maintenance?.plan === plan.digest ? maintenance : undefined;
  const completed = known?.completed ?? [];
  const tasks = dueTasks(plan, { from, to }, clusterVersions)
    .filter((task) => !completed.some((done) => sameTask(task, done)))
    .map((task) => known?.tasks.find((one) => sameTask(task, one)) ?? pendingTask(task));
  const { id, startedAt } = known ?? { id: newId, startedAt: at(nowMs) };
  const backup = (maintenance?.to === to ? backupOf(maintenance) : undefined) ?? id;
  return { id, from, to, startedAt, plan: plan.digest, backup, tasks, completed };
}

/** Returns what a spec requests: a version, and which request for it. */
export function targetOf({ targetVersion, targetRequest }: FeatureSpec): string | undefined {
  if (targetVersion === undefined) return undefined;
  return [minorVersion(targetVersion), ...(targetRequest === undefined ? [] : [targetRequest])].join(' ');
}

/**
 * Notes that the cluster has the version that is asked for, and nothing is left to do: the spec keeps its target, and
 * must not start what is declared later, nor the way back once the cluster has gone further.
 */
function noteReached(
  status: FeatureStatus,
  { spec, clusterVersions }: Situation,
  current: Maintenance | undefined,
): FeatureStatus {
  const target = targetOf(spec);
  if (target === undefined || clusterVersions === undefined || status.targetReached === target) return status;
  const to = minorVersion(spec.targetVersion ?? '');
  const isOpen = current?.to === to && current.tasks.length > 0;
  return isAt(clusterVersions, to) && !isOpen ? { ...status, targetReached: target } : status;
}

function isAt({ oldest, newest }: VersionRange, to: string): boolean {
  return minorVersion(oldest) === to && minorVersion(newest) === to;
}

function dueTasks(
  { before, after }: VersionPlan,
  { from, to }: Pick<Maintenance, 'from' | 'to'>,
  { oldest, newest }: VersionRange,
) {
  // Forward the oldest arrives last, and on the way back the newest does.
  const [last, direction] = compareVersions(from, to) < 0 ? ([oldest, 1] as const) : ([newest, -1] as const);
  const hasArrived = direction * compareVersions(minorVersion(last), to) >= 0;
  return hasArrived ? [...before, ...after] : before;
}

function asTransition(maintenance: Maintenance, { state, transitions = 0 }: FeatureStatus): Transition {
  const { id, startedAt, plan, tasks, completed } = maintenance;
  const to = state === 'On' ? 'On' : 'Off';
  return { id, seq: transitions, to, cause: causeOf(maintenance), startedAt, plan, tasks, completed };
}

function settled({ transition, ...status }: FeatureStatus, maintenance: Maintenance): FeatureStatus {
  const { tasks = [], completed = [] } = transition ?? {};
  return { ...status, maintenance: { ...maintenance, tasks, completed } };
}

function causeOf({ from, to }: Maintenance): string {
  return `${compareVersions(from, to) < 0 ? 'upgrade' : 'downgrade'} from v${from} to v${to}`;
}

/** A maintenance that an older server began has no name for its backup but its own. */
function backupOf({ id, backup = id }: Maintenance): string {
  return backup;
}
