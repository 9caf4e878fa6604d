import { DefinitionRegistry } from './definition-registry.js';
import { minorOf } from './minor-version.js';
import type { ResourceDefinition } from './resource-definition.js';

/**
 * Returns the definitions that a server of `version`, such as `1.33`, serves: all but those of younger resources.
 * Follows changes of the definitions until closed.
 */
export function servedIn(
  definitions: DefinitionRegistry,
  version: string,
): { readonly served: DefinitionRegistry; close(): void } {
  const minor = minorOf(version);
  const isServed = ({ since }: ResourceDefinition) => since === undefined || minorOf(since) <= minor;
  if (definitions.all().every(isServed)) return { served: definitions, close: () => {} };
  const served = new DefinitionRegistry(definitions.all().filter(isServed));
  const following = definitions.onChange(({ added, removed }) => {
    const [changed] = [...added, ...removed];
    if (changed) served.replace(changed.group, changed.plural, added.filter(isServed));
  });
  return { served, close: () => following.close() };
}
