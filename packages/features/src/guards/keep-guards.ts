import { hasReason, type Informer, type Kube, type Logger, type Runnable, sleep } from '@slipway/kube';
import type { Feature } from '../api/feature.js';
import { labels } from '../api/group.js';
import { guardSelector } from './guard-policy.js';
import { removeGuards } from './remove-guards.js';

const retryMs = 30_000;

/**
 * Takes away the guards of Features that are gone: a policy belongs to no namespace,
 * so nothing in a namespace can own it. Looks at the start and after each deletion.
 */
export function keepGuards(deps: {
  readonly kube: Kube;
  readonly features: Informer<Feature>;
  readonly log: Logger;
}): Runnable {
  const { kube, features, log } = deps;
  return {
    name: 'keep-guards',
    async start(signal) {
      await features.whenSynced(signal);
      let wake = () => {};
      features.onChange(({ type }) => {
        if (type === 'deleted') wake();
      });
      while (!signal.aborted) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        try {
          await removeGuards(kube, guardSelector(), ({ metadata }) => !isWanted(metadata.labels ?? {}), signal);
          await changed;
        } catch (error) {
          if (signal.aborted) return;
          if (hasReason(error, 'Forbidden')) {
            // Guards are an option. Without the right to see policies this server has made none either.
            await changed;
            continue;
          }
          log.warn('guards of features that are gone could not be looked for', { error });
          await sleep(kube.clock, retryMs, signal).catch(() => {});
        }
      }
    },
  };

  function isWanted(found: Readonly<Record<string, string>>): boolean {
    const ref = { name: found[labels.guard] ?? '', namespace: found[labels.guardNamespace] ?? '' };
    return features.lister.get(ref) !== undefined;
  }
}
