import { definitionController } from '@slipway/api-server/crd/establish';
import type { DefinitionRegistry } from '@slipway/api-server/registry/definition-registry';
import type { ResourceDefinition } from '@slipway/api-server/registry/resource-definition';
import type { Clock, Logger } from '@slipway/kube';
import { expireRows } from '@slipway/object-store/expire-rows';
import type { Store } from '@slipway/object-store/store';
import type { StopOrder } from './stop-order.js';

/** Serves custom kinds once they are defined, and deletes expired objects, until `stops` runs. */
export function serveDefinitions(
  { store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Logger },
  definitions: DefinitionRegistry,
  stops: StopOrder,
): void {
  const onError = (error: unknown) => log.warn('an object could not be written', { error });
  const customKinds = definitionController({ store, registry: definitions, clock, onError });
  stops.last(() => customKinds.close());
  for (const { storedAs, timeToLiveMs } of byStorage(definitions)) {
    if (timeToLiveMs === undefined) continue;
    const expiry = expireRows({ store, resource: storedAs, timeToLiveMs, clock, onError });
    stops.last(() => expiry.close());
  }
}

/** Returns one definition for each table of the store: several versions of a kind may share one. */
function byStorage(definitions: DefinitionRegistry): Iterable<ResourceDefinition> {
  return new Map(definitions.all().map((definition) => [definition.storedAs, definition])).values();
}
