import type {
  ComponentDefinition,
  FeatureDefinition,
  FeatureDefinitionSpec,
  TaskDefinition,
} from '../api/feature-definition.js';
import { apiVersion, kubernetesNamespace } from '../api/group.js';
import { featureName } from '../api/names.js';
import type { ClearFieldArgs } from '../tasks/clear-field.js';
import { type AuthorTask, type RegisterTaskOptions, registerTask } from '../tasks/register-task.js';
import type { Task } from '../tasks/task.js';
import type { WaitForNoObjectsArgs } from '../tasks/wait-for-no-objects.js';
import { checkDefinition } from './check-definition.js';
import { builtInTasks, TaskCatalog } from './task-catalog.js';

/** What an author says of a feature: a definition whose tasks may be functions. */
export interface FeatureAuthoring extends Omit<FeatureDefinitionSpec, 'components' | 'tasks'> {
  /** Where the Feature lives; `kube-system` when absent. */
  readonly namespace?: string;
  /** Names stand for components that are required and known from their own reports. */
  readonly components: readonly (string | ComponentDefinition)[];
  readonly tasks?: { readonly on?: readonly AuthoredTask[]; readonly off?: readonly AuthoredTask[] };
}

/** A task of an author, with its function unless a server knows its kind anyway. */
export interface AuthoredTask extends TaskDefinition {
  readonly implementation?: Task;
}

/** A definition as an object, and what a server needs to carry it out. Give it to `featureServer`. */
export interface DefinedFeature {
  readonly object: FeatureDefinition;
  readonly tasks: readonly Task[];
}

/** The definition cannot be carried out as it is written. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
  readonly problems: readonly string[];

  constructor(gate: string, problems: readonly string[]) {
    super(`the definition of ${gate} cannot be carried out: ${problems.join('; ')}`);
    this.problems = problems;
  }
}

/**
 * Declares a feature in code.
 * @throws DefinitionError with everything that is wrong with it.
 */
export function defineFeature(authoring: FeatureAuthoring): DefinedFeature {
  const { namespace = kubernetesNamespace, components, tasks: authored, ...rest } = authoring;
  const own = [...(authored?.on ?? []), ...(authored?.off ?? [])].flatMap(({ implementation }) => implementation ?? []);
  const spec: FeatureDefinitionSpec = {
    ...rest,
    components: components.map((component) =>
      typeof component === 'string' ? { name: component, required: true, roster: 'Self' } : component,
    ),
    ...(authored && {
      tasks: {
        ...(authored.on && { on: authored.on.map(withoutFunction) }),
        ...(authored.off && { off: authored.off.map(withoutFunction) }),
      },
    }),
  };
  const problems = checkDefinition(spec, new TaskCatalog([...builtInTasks(), ...own]), namespace);
  if (problems.length > 0) throw new DefinitionError(spec.gate, problems);
  return {
    object: {
      apiVersion,
      kind: 'FeatureDefinition',
      metadata: { name: featureName(spec.gate) ?? '', namespace },
      spec,
    },
    tasks: own,
  };
}

/** Takes a field out of every object when the feature is turned off. */
export function clearField(args: ClearFieldArgs): AuthoredTask {
  return { kind: 'ClearField', args: { ...args } };
}

/** Waits, when the feature is turned off, until people have removed every object that uses it. Deletes none. */
export function waitForNoObjects(
  args: WaitForNoObjectsArgs,
  placed: Pick<TaskDefinition, 'name' | 'phase'> = {},
): AuthoredTask {
  return { kind: 'WaitForNoObjects', ...placed, args: { ...args } };
}

/** A task of the author's own; `name` is its kind in plans. */
export function custom(name: string, run: AuthorTask, options: RegisterTaskOptions = {}): AuthoredTask {
  return {
    kind: name,
    ...(options.destructive && { destructive: true }),
    implementation: registerTask(name, run, options),
  };
}

function withoutFunction({ implementation: _function, ...task }: AuthoredTask): TaskDefinition {
  return task;
}
