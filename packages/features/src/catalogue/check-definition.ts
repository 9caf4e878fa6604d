import {
  type FeatureDefinitionSpec,
  type TaskDefinition,
  tasksTowards,
  type VersionTask,
} from '../api/feature-definition.js';
import { kubernetesNamespace } from '../api/group.js';
import { featureName } from '../api/names.js';
import { compareVersions } from '../lifecycle/versions.js';
import { referenceProblems } from '../references/reference-problems.js';
import { scopeProblems } from './scope-problems.js';
import type { TaskCatalog } from './task-catalog.js';

/**
 * Lists, as sentences, what keeps a definition in `namespace` (default kube-system) from being carried out.
 * Everything that can be known without the cluster is found here, so that no transition starts that must fail.
 */
export function checkDefinition(
  definition: FeatureDefinitionSpec,
  tasks: TaskCatalog,
  namespace = kubernetesNamespace,
): readonly string[] {
  const { gate, components, stages = [], references = [], dependsOn = [], conflictsWith = [] } = definition;
  const authored = [...tasksTowards(definition, 'On'), ...tasksTowards(definition, 'Off'), ...ofVersions(definition)];
  return [
    ...(featureName(gate) === undefined ? [`gate ${gate} in lower case is not a valid object name`] : []),
    ...duplicates(components.map(({ name }) => name)).map((name) => `component ${name} is named twice`),
    ...components
      .filter(
        ({ roster, selector, lease }) =>
          (roster === 'Leases' && !lease && !selector) || (roster === 'Pods' && !selector),
      )
      .map(({ name, roster }) => `component ${name} has roster ${roster} and no selector`),
    ...(components.length === 0 ? ['a feature needs at least one component'] : []),
    ...stages
      .slice(1)
      .filter(({ version }, index) => compareVersions(version, stages[index]?.version ?? '') <= 0)
      .map(({ version }) => `stages must be in ascending order of versions: ${version}`),
    ...[...dependsOn, ...conflictsWith]
      .filter((other) => other === gate)
      .map(() => `${gate} names itself as a dependency`),
    ...references.flatMap(referenceProblems),
    ...authored.flatMap((task) => taskProblems(task, definition, tasks)),
    ...scopeProblems(definition, authored, namespace),
    ...stepProblems(definition),
  ];
}

function ofVersions({ tasks = {} }: FeatureDefinitionSpec): readonly VersionTask[] {
  return [...(tasks.upgrade ?? []), ...(tasks.downgrade ?? [])];
}

/** An upgrade goes up and a downgrade goes down, or the task would never be due. */
function stepProblems({ tasks: { upgrade = [], downgrade = [] } = {} }: FeatureDefinitionSpec): readonly string[] {
  const wrong = [
    ...upgrade.filter(({ from, to }) => compareVersions(from, to) >= 0),
    ...downgrade.filter(({ from, to }) => compareVersions(from, to) <= 0),
  ];
  return wrong.map(({ name, kind, from, to }) => {
    const direction = upgrade.some((task) => task.from === from && task.to === to) ? 'an upgrade' : 'a downgrade';
    return `task ${name ?? kind}: from ${from} to ${to} is not ${direction}`;
  });
}

function taskProblems(
  task: Omit<TaskDefinition, 'phase'>,
  definition: FeatureDefinitionSpec,
  tasks: TaskCatalog,
): readonly string[] {
  const known = tasks.authored();
  if (!known.includes(task.kind)) return [`no task of kind ${task.kind}; there are: ${known.join(', ')}`];
  return tasks.get(task.kind)?.check?.(task.args ?? {}, definition) ?? [];
}

function duplicates(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) < index))];
}
