import type { Canary } from '../api/canary.js';
import type { GuardPolicy, PlannedTask, TaskArgs } from '../api/feature.js';
import { type FeatureDefinitionSpec, type TaskDefinition, tasksTowards } from '../api/feature-definition.js';
import type { Target } from '../api/target.js';
import { digest } from './digest.js';

export interface PlanInput {
  readonly definition: FeatureDefinitionSpec;
  readonly to: Target;
  /** Whether processes take the published value; otherwise nothing can be held back until they change. */
  readonly steered: boolean;
  /** Whether tasks of a kind change users' objects unless the definition says otherwise. */
  readonly isDestructive: (kind: string) => boolean;
  /** How new uses are kept out; refused when absent. */
  readonly guard?: GuardPolicy | undefined;
  /** Steps on the way of a published value to all processes. */
  readonly canary?: Canary | undefined;
}

/** Kinds of tasks that plans bring with them; definitions name others. */
export const plannedKinds: readonly string[] = [
  'CheckDependencies',
  'InstallGuard',
  'Canary',
  'Publish',
  'WaitForUses',
  'VerifyClean',
  'RemoveGuard',
];

/**
 * Everything that must happen before the state may be `On` or `Off`, in order.
 * Where processes follow their own flags their values are already changing, so
 * tasks meant for before come after.
 */
export function planFor({
  definition,
  to,
  steered,
  isDestructive,
  guard = {},
  canary,
}: PlanInput): readonly PlannedTask[] {
  const authored = tasksTowards(definition, to);
  const early = authored.filter((task) => task.phase === 'BeforePublish');
  const last = authored.filter((task) => to === 'Off' && task.phase === 'AfterClean');
  const late = authored.filter((task) => !early.includes(task) && !last.includes(task));
  const own = (tasks: readonly TaskDefinition[]) => tasks.map((task) => authoredTask(task, isDestructive));
  const value = { value: to };
  const shares = (canary?.steps ?? []).map((args, step) => ({
    name: `Canary-${step + 1}`,
    kind: 'Canary',
    args: { ...value, step, ...args },
  }));
  const isGuarded = (definition.references ?? []).length > 0;
  const { mode = 'Deny', ratchet = 'InUse' } = guard;
  const install = { name: 'InstallGuard', kind: 'InstallGuard', args: { mode, ratchet } };
  const remove = { name: 'RemoveGuard', kind: 'RemoveGuard' };
  // New uses wait for all processes to have the feature on, unless they are not to be refused at all.
  const isOpen = mode === 'None';
  return finishedPlan([
    { name: to === 'On' ? 'CheckDependencies' : 'CheckDependents', kind: 'CheckDependencies', args: value },
    ...(isGuarded && to === 'Off' ? [install] : []),
    ...(isGuarded && to === 'On' && isOpen ? [remove] : []),
    ...(steered ? [...own(early), ...shares, { name: 'Publish', kind: 'Publish', args: value }] : []),
    { name: 'WaitForUses', kind: 'WaitForUses', args: value },
    ...(steered ? [] : own(early)),
    ...own(late),
    ...(to === 'Off' ? [{ name: 'VerifyClean', kind: 'VerifyClean' }] : []),
    ...own(last),
    ...(isGuarded && to === 'On' && !isOpen ? [remove] : []),
  ]);
}

/** The tasks that clear uses: those an author put between the agreement of all processes and the proof. */
export function clearingTasks(plan: readonly PlannedTask[]): readonly PlannedTask[] {
  const agreed = plan.findIndex((task) => task.kind === 'WaitForUses');
  const proof = plan.findLastIndex((task) => task.kind === 'VerifyClean');
  return plan.slice(agreed + 1, proof);
}

/**
 * Name of one plan of one transition. Consent given to it cannot be used for a
 * later transition, nor for another plan.
 */
export function planDigest(plan: readonly PlannedTask[], to: Target, seq: number): string {
  return digest({ to, seq, tasks: plan.map(({ name, kind, argsDigest }) => [name, kind, argsDigest]) });
}

export function sameTask(a: Pick<PlannedTask, 'name' | 'kind' | 'argsDigest'>, b: typeof a): boolean {
  return a.name === b.name && a.kind === b.kind && a.argsDigest === b.argsDigest;
}

type Draft = Omit<PlannedTask, 'argsDigest'> & { readonly args?: TaskArgs };

/** An author's task as a plan has it. */
export function authoredTask(
  { name, kind, args, destructive }: Omit<TaskDefinition, 'phase'>,
  isDestructive: (kind: string) => boolean,
): Draft {
  return {
    name: name ?? kind,
    kind,
    ...(args && { args }),
    ...((destructive ?? isDestructive(kind)) && { destructive: true }),
  };
}

/** Gives every task an identity: names are made unique, arguments get a digest. */
export function finishedPlan(tasks: readonly Draft[]): readonly PlannedTask[] {
  const seen = new Map<string, number>();
  return tasks.map((task) => {
    const count = (seen.get(task.name) ?? 0) + 1;
    seen.set(task.name, count);
    return { ...task, name: count === 1 ? task.name : `${task.name}-${count}`, argsDigest: digest(task.args ?? {}) };
  });
}
