import { hasReason, type Informer, type Kube, type Logger, type Runnable, sleep } from '@slipway/kube';
import type { Feature } from '../api/feature.js';
import type { FeatureDefinition } from '../api/feature-definition.js';
import type { Leadership } from '../leadership/leadership.js';
import { backupAtWork, workOf } from '../lifecycle/maintenance.js';
import { deleteBackup, listBackups } from '../operations/backups.js';

const everyMs = 3_600_000;

export interface ExpireBackupsDeps {
  readonly kube: Kube;
  readonly leadership: Pick<Leadership, 'leads'>;
  readonly features: Informer<Feature>;
  readonly definitions: Informer<FeatureDefinition>;
  /** Namespace of the feature server. */
  readonly home: string;
  readonly log: Logger;
}

/**
 * Deletes backups whose retention period is over, once an hour, in the namespaces that have
 * definitions. The backup that a task at work adds to is kept.
 */
export function expireBackups({ kube, leadership, features, definitions, home, log }: ExpireBackupsDeps): Runnable {
  const isAtWork = (feature: Feature | undefined, transition: string) =>
    (workOf(feature?.status)?.tasks.length ?? 0) > 0 && backupAtWork(feature?.status ?? {}) === transition;
  const expire = async (namespace: string, signal: AbortSignal) => {
    const nowMs = kube.clock.now();
    for (const backup of await listBackups(kube, { namespace, home, signal })) {
      const ref = { namespace: backup.namespace, name: backup.feature };
      if (Date.parse(backup.expiresAt) > nowMs || !leadership.leads(ref)) continue;
      if (isAtWork(features.lister.get(ref), backup.transition)) continue;
      await deleteBackup(kube, backup, { home, signal });
      log.info('deleted a backup whose retention period is over', { ...backup });
    }
  };
  return {
    name: 'expire-backups',
    async start(signal) {
      await Promise.all([features.whenSynced(signal), definitions.whenSynced(signal)]);
      while (!signal.aborted) {
        for (const namespace of new Set(definitions.lister.list().map(({ metadata }) => metadata.namespace ?? ''))) {
          await expire(namespace, signal).catch((error: unknown) => {
            // Without the right to see Secrets this server has written no backup there either.
            if (signal.aborted || hasReason(error, 'Forbidden')) return;
            log.warn('backups could not be checked for expiry, trying again in an hour', { namespace, error });
          });
        }
        await sleep(kube.clock, everyMs, signal).catch(() => {});
      }
    },
  };
}
