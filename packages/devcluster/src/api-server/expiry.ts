import type { KubeObject } from '@slipway/kube';
import type { Core } from './core.js';

const sweepEveryMs = 60_000;

/**
 * Removes rows of kinds that expire (events), once a minute. An event that was
 * seen again since lives on from then.
 */
export function expireRows({ store, definitions, clock }: Pick<Core, 'store' | 'definitions' | 'clock'>): {
  close(): void;
} {
  let timer = clock.after(sweepEveryMs, sweep);
  let closed = false;

  function sweep(): void {
    const limits = new Map<string, number>();
    for (const { storedAs, timeToLiveMs } of definitions.all()) {
      if (timeToLiveMs !== undefined) limits.set(storedAs, timeToLiveMs);
    }
    for (const [resource, timeToLiveMs] of limits) {
      for (const { namespace, name, object } of store.list(resource, {}).entries) {
        if (clock.now() - lastSeenMs(object) < timeToLiveMs) continue;
        const latest = store.latest(resource, namespace, name);
        // A store that takes no writes now takes them at a later sweep.
        if (latest) store.remove(latest).catch(() => {});
      }
    }
    if (!closed) timer = clock.after(sweepEveryMs, sweep);
  }

  return {
    close() {
      closed = true;
      timer.cancel();
    },
  };
}

function lastSeenMs({ metadata, lastTimestamp, eventTime, series }: KubeObject): number {
  const times = [metadata.creationTimestamp, lastTimestamp, eventTime, series?.lastObservedTime];
  return Math.max(0, ...times.map((time) => Date.parse(String(time))).filter((ms) => !Number.isNaN(ms)));
}
