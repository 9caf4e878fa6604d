import type { Clock } from '@slipway/kube';
import type { Store } from '@slipway/object-store/store';

const leases = 'leases.coordination.k8s.io';

/**
 * A clock for a cluster whose data may come from a time that `clock` has not reached: time that ran faster wrote it.
 * Then it goes on from there, or pods and nodes would wait until the clock has caught up. A clock that is stepped says
 * itself what time it is.
 */
export function clockOfData(clock: Clock, store: Store): Clock {
  if ('advance' in clock) return clock;
  const aheadMs = newestMs(store) - clock.now();
  if (aheadMs <= 0) return clock;
  return {
    now: () => clock.now() + aheadMs,
    monotonicMs: () => clock.monotonicMs(),
    machineMs: () => clock.machineMs?.() ?? clock.monotonicMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
  };
}

/** When the last lease was renewed: nodes and API servers do it every ten seconds. */
function newestMs(store: Store): number {
  const renewed = store.list(leases, {}).entries.map(({ object }) => Date.parse(object.spec?.renewTime ?? ''));
  return Math.max(0, ...renewed.filter(Number.isFinite));
}
