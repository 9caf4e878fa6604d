import { controllerRights, controllerUser, ordinaryInstallation } from '@slipway/balloons';
import type { Kube } from '@slipway/kube';
import { ClusterObjects } from '../installation/cluster-objects.js';

const { namespace } = ordinaryInstallation;

/** Who the balloon controllers of a local cluster are to its API server: what they are where `slipway install` put them. */
export const balloonUser = {
  name: controllerUser(ordinaryInstallation),
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
};

/**
 * Gives balloon controllers the rights that `slipway install` gives them. The policies that keep others from resizing
 * balloons are not made: whoever has a local cluster may try that.
 */
export async function grantBalloonRights(kube: Kube, signal: AbortSignal): Promise<void> {
  const objects = await ClusterObjects.of(kube, signal);
  await objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await Promise.all(controllerRights(ordinaryInstallation).map((object) => objects.apply(object)));
}
