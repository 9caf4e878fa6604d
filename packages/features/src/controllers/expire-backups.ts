import { type Informer, type Kube, type Logger, type Runnable, sleep } from '@slipway/kube';
import type { Feature } from '../api/feature.js';
import type { FeatureDefinition } from '../api/feature-definition.js';
import { reachOf } from '../api/scope.js';
import type { Leadership } from '../leadership/leadership.js';
import { backupAtWork, workOf } from '../lifecycle/maintenance.js';
import { deleteBackup, listBackups } from '../operations/backups.js';
import { hasBackups } from '../rbac/rights-of-definition.js';

const everyMs = 3_600_000;
/** When to try again what failed. */
const retryMs = 60_000;

export interface ExpireBackupsDeps {
  readonly kube: Kube;
  readonly leadership: Pick<Leadership, 'leads' | 'onChange'>;
  readonly features: Informer<Feature>;
  readonly definitions: Informer<FeatureDefinition>;
  /** Namespace of the feature server. */
  readonly home: string;
  readonly log: Logger;
}

/**
 * Deletes backups whose retention period is over, once an hour and after this server leads other Features or one of
 * them begins a backup. It reads Secrets only where Features that were turned off keep theirs. The backup that a task at
 * work adds to is kept.
 */
export function expireBackups({ kube, leadership, features, definitions, home, log }: ExpireBackupsDeps): Runnable {
  const isAtWork = (feature: Feature | undefined, transition: string) =>
    (workOf(feature?.status)?.tasks.length ?? 0) > 0 && backupAtWork(feature?.status ?? {}) === transition;
  const expire = async (storedIn: string, signal: AbortSignal) => {
    const nowMs = kube.clock.now();
    for (const backup of await listBackups(kube, { storedIn, home, signal })) {
      const ref = { namespace: backup.namespace, name: backup.feature };
      if (Date.parse(backup.expiresAt) > nowMs || !leadership.leads(ref)) continue;
      if (isAtWork(features.lister.get(ref), backup.transition)) continue;
      await deleteBackup(kube, backup, { home, storedIn, signal });
      log.info('deleted a backup whose retention period is over', { ...backup });
    }
  };
  const places = () =>
    features.lister.list().flatMap(({ metadata: { name = '', namespace }, status }) => {
      const wasOff = status?.backup !== undefined || status?.history?.some(({ to }) => to === 'Off');
      const definition = definitions.lister.get({ name, namespace });
      return wasOff && definition && hasBackups(definition) ? [reachOf(definition.spec, namespace) ?? home] : [];
    });
  const reported = new Map<string, string>();
  return {
    name: 'expire-backups',
    async start(signal) {
      await Promise.all([features.whenSynced(signal), definitions.whenSynced(signal)]);
      let wake = () => {};
      leadership.onChange(() => wake());
      features.onChange(({ object, previous }) => {
        if (object.status?.backup !== previous?.status?.backup) wake();
      });
      while (!signal.aborted) {
        const changed = new AbortController();
        wake = () => changed.abort();
        let nextMs = everyMs;
        for (const namespace of new Set(places())) {
          await expire(namespace, signal).catch((error: unknown) => {
            if (signal.aborted) return;
            nextMs = retryMs;
            if (reported.get(namespace) === String(error)) return;
            reported.set(namespace, String(error));
            log.warn('backups could not be checked for expiry, trying again every minute', { namespace, error });
          });
        }
        await sleep(kube.clock, nextMs, AbortSignal.any([signal, changed.signal])).catch(() => {});
      }
    },
  };
}
