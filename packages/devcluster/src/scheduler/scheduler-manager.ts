import { type Kube, type Logger, Manager } from '@slipway/kube';
import { Scheduler } from './scheduler.js';

/** The scheduler of the cluster, ready to start: one run of kube-scheduler. */
export function schedulerManager({ kube, log }: { readonly kube: Kube; readonly log: Logger }): Manager {
  const manager = new Manager({ kube, log });
  manager.add(new Scheduler({ kube, log, informers: manager.informers }));
  return manager;
}
