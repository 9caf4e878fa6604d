import type { Store } from '@slipway/object-store/store';
import type { DefinitionRegistry } from '../../registry/definition-registry.js';
import type { ResourceDefinition } from '../../registry/resource-definition.js';
import type { Surroundings } from './match-resources.js';

/** Looks up in the store and the registry what matching needs to know of a cluster. */
export function surroundingsOf(store: Pick<Store, 'latest'>, definitions: DefinitionRegistry): Surroundings {
  let generation = -1;
  let known = new Map<ResourceDefinition, readonly ResourceDefinition[]>();
  return {
    equivalents(resource) {
      if (generation !== definitions.generation) {
        generation = definitions.generation;
        known = new Map();
      }
      const found =
        known.get(resource) ??
        definitions.all().filter((other) => other.storedAs === resource.storedAs && other !== resource);
      known.set(resource, found);
      return found;
    },
    namespace: (name) => store.latest('namespaces', '', name)?.object,
  };
}
