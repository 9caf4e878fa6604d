import { type Kube, type Logger, Manager } from '@slipway/kube';
import type { ComponentRun } from '../controllers/component/component.js';
import { leaderLease } from '../controllers/keep-lease.js';
import { Scheduler } from '../scheduler/scheduler.js';
import type { VersionProfile } from './version-profile.js';

/** The scheduler, as one run of kube-scheduler; `identity` is who it is in its lease as the leader. */
export function schedulerRun(kube: Kube, log: Logger, profile: VersionProfile, identity: string): ComponentRun {
  const manager = new Manager({ kube, log });
  manager.add(leaderLease(kube, log, 'kube-scheduler', identity));
  manager.add(new Scheduler({ kube, informers: manager.informers, log, profile, random: kube.random }));
  return { start: () => manager.start(), stop: () => manager.stop() };
}
