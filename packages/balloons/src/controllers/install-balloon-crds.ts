import { installDefinitions, type Kube } from '@slipway/kube';
import { balloonCrds } from '../api/crds.js';

/**
 * Creates the CRDs of this group, or brings them to this version, and waits until
 * the API server serves them.
 * @throws StatusError when the API server refuses one.
 */
export async function installBalloonCrds(kube: Kube, signal?: AbortSignal): Promise<void> {
  await installDefinitions(kube, balloonCrds(), signal);
}
