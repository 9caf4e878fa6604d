import type { CanaryStep } from '../api/canary.js';
import type { ConsentedObjects, PlannedTask } from '../api/feature.js';

/** One task of a plan as a person reads it before agreeing to it. */
export interface PlanLine {
  readonly name: string;
  /** What it does and to what, such as `clear the field from the objects that use it (statefulsets spec.x)`. */
  readonly does: string;
  /** How many objects it changes, where they can be counted. */
  readonly count?: number;
  readonly isUncounted: boolean;
}

/** Describes the tasks of a plan, with how many objects each changes where that was counted. */
export function planLines(tasks: readonly PlannedTask[], objects: readonly ConsentedObjects[]): readonly PlanLine[] {
  return tasks.map((task) => {
    const count = objects.find((one) => one.task === task.name)?.count;
    return {
      name: task.name,
      does: `${meaning[task.name] ?? meaning[task.kind] ?? task.kind}${target(task)}`,
      ...(count !== undefined && { count }),
      isUncounted: isUncounted(task),
    };
  });
}

/** Tasks that say which objects they change; a CRD is only removed when it has none. */
const countedKinds = ['ClearField', 'ClearCollection', 'RemoveCRD'];

/** Whether a task changes objects that cannot be counted before: only the program that it runs knows them. */
export function isUncounted({ kind, destructive }: Pick<PlannedTask, 'kind' | 'destructive'>): boolean {
  return destructive === true && !countedKinds.includes(kind);
}

const meaning: Readonly<Record<string, string>> = {
  CheckDependencies: 'check that the gates it depends on are on',
  CheckDependents: 'check that no gate that is on depends on it',
  InstallGuard: 'refuse new uses, and try at every API server that they are',
  RemoveGuard: 'let objects use it again',
  Canary: 'publish the value to',
  Publish: 'publish the value that processes follow',
  WaitForUses: 'wait until every process that should report has reported it',
  ClearField: 'clear the field from the objects that use it, keeping a backup',
  WaitForNoObjects: 'wait until people have removed what uses it; nothing is deleted',
  ClearCollection: 'delete every object of the resource',
  InstallCRD: 'install a custom resource definition',
  RemoveCRD: 'remove a custom resource definition that has no objects left',
  ShowField: 'publish the field in the schema of the definition',
  HideField: 'take the field out of the published schema of the definition',
  MigrateStorage: 'have every object stored in the current version',
  Webhook: 'have another program do its part',
  Job: 'run a job to its end',
  VerifyClean: 'look twice that nothing uses it any more',
};

function target({ kind, args }: PlannedTask): string {
  if (kind === 'Canary') return ` ${canaryStep(args as CanaryStep)}`;
  const { resource, path, crd, name } = args ?? {};
  const named = typeof crd === 'string' ? crd : typeof name === 'string' ? name : undefined;
  if (named !== undefined) return ` (${named}${typeof path === 'string' ? ` ${path}` : ''})`;
  return typeof resource === 'string' ? ` (${resource}${typeof path === 'string' ? ` ${path}` : ''})` : '';
}

/** `5 % of the processes, watch for 10m, take it back if errors is above 0.01`. */
function canaryStep({ percent, selector, bake, analysis }: CanaryStep): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([label, value]) => `${label}=${value}`);
  const whom = percent === undefined ? `processes at ${labels.join(',')}` : `${percent} % of the processes`;
  const watch = bake === undefined ? '' : `, watch for ${bake}`;
  return `${whom}${watch}${analysis ? `, take it back if ${analysis.name} is above ${analysis.failAbove}` : ''}`;
}
