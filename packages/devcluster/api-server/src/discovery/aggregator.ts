import type { DefinitionRegistry } from '../registry/definition-registry.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';

/**
 * The definitions whose groups and paths are listed beside one another. It is the aggregator, the
 * part of Kubernetes that serves APIService, who lists those of custom resources: a server
 * without it answers for them and lists its own alone.
 */
export function listedDefinitions(definitions: DefinitionRegistry): readonly ResourceDefinition[] {
  const all = definitions.all();
  return hasAggregator(definitions) ? all : all.filter(({ origin }) => origin === 'built-in');
}

export function hasAggregator(definitions: DefinitionRegistry): boolean {
  return definitions.serves('apiregistration.k8s.io');
}
