import { installDefinitions, type Kube } from '@slipway/kube';
import { featureCrds } from '../api/crds.js';
import { installAuthorPolicy } from './install-author-policy.js';

/**
 * Creates the CRDs of this group, or brings them to this version, and waits until the API server serves them. The
 * admission policy that vouches for who writes definitions comes first: what is written before it counts for nothing.
 * @throws StatusError when the API server rejects one.
 */
export async function installFeatureCrds(kube: Kube, signal?: AbortSignal): Promise<void> {
  await installAuthorPolicy(kube, signal);
  await installDefinitions(kube, featureCrds(), signal);
}
