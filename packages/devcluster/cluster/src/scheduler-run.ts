import { deviceSelectors } from '@slipway/cel/kubernetes/device-selectors';
import { type Kube, type Logger, leaderLease, Manager } from '@slipway/kube';
import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import { Scheduler } from '@slipway/scheduler/scheduler';
import type { ComponentRun } from './component/component.js';

/** The scheduler, as one run of kube-scheduler; `identity` is who it is in its lease as the leader. */
export function schedulerRun(kube: Kube, log: Logger, profile: VersionProfile, identity: string): ComponentRun {
  const manager = new Manager({ kube, log });
  manager.add(leaderLease(kube, log, 'kube-scheduler', identity));
  manager.add(
    new Scheduler({
      kube,
      informers: manager.informers,
      log,
      profile,
      random: kube.random,
      compileSelector: deviceSelectors(),
    }),
  );
  return { start: () => manager.start(), stop: () => manager.stop() };
}
