import type { RemoteGroups } from '@slipway/api-server/aggregation/remote-groups';
import { remoteVersionOf } from '@slipway/api-server/aggregation/remote-version';
import {
  Controller,
  type Kube,
  type KubeObject,
  type Logger,
  Manager,
  type ObjectRef,
  type Reconciler,
  type Runnable,
  retryLostRaces,
  sameJson,
  setCondition,
} from '@slipway/kube';
import { services } from '@slipway/kube-objects/kinds/api/services';
import { apiServices } from './api-services.js';
import { startOrWarn } from './start-or-warn.js';

interface CheckDeps {
  readonly kube: Kube;
  readonly remotes: RemoteGroups;
  readonly log: Logger;
}

/** How long an answer counts, and a missing one. */
const [availableMs, unavailableMs] = [30_000, 1_000];

/** Finds out which of the servers answer that APIServices lead to, and what they have. */
export function checkApiServices({ kube, remotes, log }: CheckDeps): Runnable {
  const manager = new Manager({ kube, log });
  const { lister } = manager.informers.informer(apiServices);
  manager.add(
    new Controller({
      name: 'check-api-services',
      kube,
      log,
      informers: manager.informers,
      for: apiServices,
      watches: [{ of: services, map: servedBy }],
      workers: 5,
      reconcile: retryLostRaces(checking()),
    }),
  );
  return {
    name: 'check-api-services',
    start: (signal) => startOrWarn(manager, log, signal, 'servers of other groups are not checked'),
    stop: () => manager.stop(),
  };

  function servedBy({ metadata: { namespace, name } }: KubeObject): ObjectRef[] {
    const leadsThere = ({ spec }: KubeObject) => spec?.service?.namespace === namespace && spec.service.name === name;
    return lister
      .list()
      .filter(leadsThere)
      .map(({ metadata }) => ({ name: metadata.name ?? '' }));
  }

  function checking(): Reconciler {
    return async (ref, { signal }) => {
      const service = lister.get(ref);
      const remote = service && remoteVersionOf(service);
      if (!remote) return;
      const problem = await remotes.check(remote);
      const found = problem ?? { reason: 'Passed', message: 'all checks passed' };
      const available = { type: 'Available', status: problem ? 'False' : 'True', ...found } as const;
      const before = service.status?.conditions ?? [];
      const conditions = setCondition(before, available, kube.clock.now());
      const status = { conditions };
      if (!sameJson(before, conditions)) await kube.resource(apiServices).mergeStatus(ref, { status }, { signal });
      return { requeueAfterMs: problem ? unavailableMs : availableMs };
    };
  }
}
