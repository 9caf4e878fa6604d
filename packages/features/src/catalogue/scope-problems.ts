import type { ComponentDefinition, FeatureDefinitionSpec, TaskDefinition } from '../api/feature-definition.js';
import { reachOf } from '../api/scope.js';

/** Kinds of tasks that change objects of the whole cluster. */
const ofTheCluster = ['MigrateStorage', 'InstallCRD', 'RemoveCRD', 'HideField', 'ShowField'];

/** Lists, as sentences, what a definition names that its scope does not allow. */
export function scopeProblems(
  definition: FeatureDefinitionSpec,
  tasks: readonly Pick<TaskDefinition, 'name' | 'kind' | 'args'>[],
  namespace: string | undefined,
): readonly string[] {
  const reach = reachOf(definition, namespace);
  if (reach === undefined) return [];
  const needs = (what: string, why: string) => `${what} ${why}, which needs scope: Cluster`;
  const { components, exercise = [] } = definition;
  return [
    ...rosterProblems(components, reach).map((what) => needs(what, 'is counted outside of its namespace')),
    ...tasks
      .filter(({ kind }) => ofTheCluster.includes(kind))
      .map(({ name, kind }) => needs(`task ${name ?? kind}`, 'changes objects of the whole cluster')),
    ...tasks
      .filter(({ kind, args }) => kind === 'ClearCollection' && isOutside(args?.namespaces, reach))
      .map(({ name, kind }) => needs(`task ${name ?? kind}`, 'names other namespaces')),
    ...exercise
      .filter(({ metadata }) => metadata?.namespace !== undefined && metadata.namespace !== reach)
      .map(({ kind, metadata }) => needs(`the example ${kind} ${metadata.name}`, 'is in another namespace')),
  ];
}

/** Components whose processes are looked for outside of the only namespace that the definition reaches. */
export function rosterProblems(components: readonly ComponentDefinition[], reach: string): readonly string[] {
  return components
    .filter(({ roster, namespace = reach }) => roster === 'Nodes' || roster === 'APIServers' || namespace !== reach)
    .map(({ name }) => `component ${name}`);
}

function isOutside(namespaces: unknown, reach: string): boolean {
  return Array.isArray(namespaces) && namespaces.some((namespace) => namespace !== reach);
}
