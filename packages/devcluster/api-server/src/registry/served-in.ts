import { minorOf, newestMinor } from '@slipway/api-machinery/schema/supported-versions';
import { builtInSchema } from '@slipway/api-machinery/schema/type-table';
import { DefinitionRegistry } from './definition-registry.js';
import type { ResourceDefinition } from './resource-definition.js';

/**
 * Returns the definitions that a server of `version`, such as `1.35`, serves: all but those of younger and of former resources, with
 * the fields that the version has.
 * Follows changes of the definitions until closed.
 */
export function servedIn(
  definitions: DefinitionRegistry,
  version: string,
): { readonly served: DefinitionRegistry; close(): void } {
  const minor = minorOf(version);
  const isServed = ({ since, lastIn }: ResourceDefinition) =>
    (since === undefined || minorOf(since) <= minor) && (lastIn === undefined || minorOf(lastIn) >= minor);
  const inVersion = (one: ResourceDefinition) =>
    minor === newestMinor || one.message === undefined ? one : { ...one, schema: builtInSchema(one.message, minor) };
  const ofVersion = (all: readonly ResourceDefinition[]) => all.filter(isServed).map(inVersion);
  const served = new DefinitionRegistry(ofVersion(definitions.all()));
  const following = definitions.onChange(({ added, removed }) => {
    const [changed] = [...added, ...removed];
    if (changed) served.replace(changed.group, changed.plural, ofVersion(added));
  });
  return { served, close: () => following.close() };
}
