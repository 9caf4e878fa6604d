import { hasReason, type Informer, type Kube, type Logger, type Runnable, sleep } from '@slipway/kube';
import { FeatureDefinition } from '../api/feature-definition.js';
import { labels, serverManager } from '../api/group.js';
import { isSameDefinition } from '../catalogue/same-definition.js';
import type { Leadership } from '../leadership/leadership.js';
import type { OwnAuthor } from '../rbac/own-author.js';

export interface KeepDefinitionsDeps {
  readonly kube: Kube;
  readonly definitions: Informer<FeatureDefinition>;
  readonly leadership: Pick<Leadership, 'leads' | 'onChange'>;
  readonly shipped: readonly FeatureDefinition[];
  /** The user that this server is, as the author of what it writes. */
  readonly self: OwnAuthor;
  readonly log: Logger;
}

const retryMs = 2_000;

/**
 * Keeps the definitions that come with the server in the cluster, so that everybody
 * reads the same ones: those of the server that leads the feature, whose version is the newest. An
 * object without the label is a user's own and stays as it is.
 */
export function keepDefinitions({ kube, leadership, definitions, shipped, self, log }: KeepDefinitionsDeps): Runnable {
  const client = kube.resource(FeatureDefinition);
  const keep = async (definition: FeatureDefinition, signal: AbortSignal) => {
    const { name = '', namespace } = definition.metadata;
    if (!leadership.leads({ name, namespace })) return;
    const stored = definitions.lister.get({ name, namespace });
    const ours = { [labels.builtIn]: 'true' };
    const author = await self(signal);
    const signed = author && { author };
    if (!stored) {
      await client.create({ ...definition, metadata: { ...definition.metadata, labels: ours }, ...signed }, { signal });
      return;
    }
    if (!stored.metadata.labels?.[labels.builtIn] || isSameDefinition(stored.spec, definition.spec)) return;
    // Whoever takes the label off meanwhile keeps the object as it is.
    const { resourceVersion } = stored.metadata;
    const metadata = { name, namespace, labels: ours, resourceVersion };
    const wanted = { metadata, ...signed, spec: definition.spec };
    await client.apply(wanted, { fieldManager: serverManager, force: true, signal });
  };
  const keepAll = async (signal: AbortSignal) => {
    let failure: unknown;
    for (const definition of shipped) {
      await keep(definition, signal).catch((error: unknown) => {
        if (!hasReason(error, 'AlreadyExists') && !hasReason(error, 'Conflict')) failure ??= error;
      });
    }
    if (failure !== undefined) throw failure;
  };
  return {
    name: 'keep-definitions',
    async start(signal) {
      await definitions.whenSynced(signal);
      let wake = () => {};
      definitions.onChange(({ type, object }) => {
        const isOurs = shipped.some(({ metadata }) => metadata.name === object.metadata.name);
        if (isOurs && type !== 'added') wake();
      });
      leadership.onChange(() => wake());
      while (!signal.aborted) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve;
        });
        try {
          await keepAll(signal);
          await untilAborted(changed, signal);
        } catch (error) {
          if (signal.aborted) return;
          log.warn('the definitions of this server could not be written, trying again', { error });
          await sleep(kube.clock, retryMs, signal).catch(() => {});
        }
      }
    },
  };
}

function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    void promise.then(resolve);
  });
}
