import type { PlannedTask } from '../api/feature.js';
import type { FeatureDefinitionSpec, VersionTask } from '../api/feature-definition.js';
import { digest } from './digest.js';
import { authoredTask, finishedPlan } from './plan.js';
import { compareVersions } from './versions.js';

/** A way from one minor version to another, forward or back. */
export interface VersionStep {
  readonly from: string;
  readonly to: string;
  /** `spec.targetRequest`: tells a second time from the first. */
  readonly request?: string | undefined;
}

/** The tasks that an author declared for a way, or for a part of it: oldest boundary first on the way forward, newest first back. */
export function tasksOnTheWay(
  { tasks = {} }: FeatureDefinitionSpec,
  { from, to }: VersionStep,
): readonly VersionTask[] {
  const isForward = compareVersions(from, to) < 0;
  const direction = isForward ? 1 : -1;
  const declared = (isForward ? tasks.upgrade : tasks.downgrade) ?? [];
  return declared
    .filter(
      (task) => direction * compareVersions(task.from, from) >= 0 && direction * compareVersions(task.to, to) <= 0,
    )
    .sort((one, other) => direction * compareVersions(one.to, other.to));
}

/** All tasks of a way, those that must wait for the other version last. */
export interface VersionPlan {
  readonly before: readonly PlannedTask[];
  readonly after: readonly PlannedTask[];
  /** Name of exactly this plan, which consent names. */
  readonly digest: string;
}

/** The plan of a way; undefined when the definition declares nothing for it. */
export function versionPlan(
  definition: FeatureDefinitionSpec,
  { from, to, request }: VersionStep,
  isDestructive: (kind: string) => boolean,
): VersionPlan | undefined {
  const declared = tasksOnTheWay(definition, { from, to });
  if (declared.length === 0) return undefined;
  const late = declared.filter(({ when }) => when === 'After');
  const early = declared.filter((task) => !late.includes(task));
  const tasks = finishedPlan([...early, ...late].map((task) => authoredTask(task, isDestructive)));
  return {
    before: tasks.slice(0, early.length),
    after: tasks.slice(early.length),
    digest: digest({
      from,
      to,
      ...(request !== undefined && { request }),
      tasks: tasks.map(({ name, kind, argsDigest }) => [name, kind, argsDigest]),
    }),
  };
}
