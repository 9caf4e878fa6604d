import { groupResource } from '@slipway/api-machinery/errors/status-errors';
import { metricText } from '@slipway/feature-gates/metrics';
import type { Store } from '@slipway/object-store/store';
import type { DefinitionRegistry } from '../registry/definition-registry.js';

/** Reports the number of stored objects of each kind. Versions and views of a kind are counted once. */
export function storageMetrics(store: Store, definitions: DefinitionRegistry): string {
  const stored = new Map(
    definitions
      .all()
      .filter(({ answer }) => !answer)
      .map((definition) => [definition.storedAs, groupResource(definition)]),
  );
  const samples = [...stored].map(([storedAs, resource]) => {
    const { entries, remaining } = store.list(storedAs, { limit: 1 });
    return { labels: { resource }, value: entries.length + remaining };
  });
  return metricText('apiserver_storage_objects', 'gauge', '[STABLE] Objects stored, by kind.', samples);
}
