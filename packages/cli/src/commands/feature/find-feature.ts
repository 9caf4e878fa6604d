import { Feature, findFeature as find, isNotInstalled } from '@slipway/features';
import type { Kube } from '@slipway/kube';
import type { Invocation } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { reportLiveness } from './report-liveness.js';

/**
 * The feature of a gate, whatever case it was typed in; says so on stderr when no feature server acts on it.
 * @throws CommandError: usage when there is none, cluster when features are not served at all.
 */
export async function requireFeature(
  kube: Kube,
  gate: string,
  namespace: string | undefined,
  invocation: Pick<Invocation, 'terminal' | 'signal'>,
): Promise<Feature> {
  const feature = await readFeature(kube, gate, namespace, invocation.signal);
  await reportLiveness(kube, [feature], invocation);
  return feature;
}

/** As `requireFeature`, without a word about servers. */
export async function readFeature(
  kube: Kube,
  gate: string,
  namespace?: string,
  signal?: AbortSignal,
): Promise<Feature> {
  const feature = await served(() => find(kube, gate, namespace, signal));
  // A cluster without our kinds answers NotFound for the object too, so ask for the kind.
  if (!feature) await served(() => kube.resource(Feature).list({ namespace, limit: 1, signal }));
  if (feature) return feature;
  const where = namespace ? ` in namespace ${namespace}` : '';
  throw new CommandError(exit.usage, `no feature is called ${gate}${where}`, 'slipway feature list');
}

/** Runs a request for features. @throws CommandError (cluster) when the cluster does not serve them. */
export async function served<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!isNotInstalled(error)) throw error;
    throw new CommandError(exit.cluster, 'this cluster does not serve features', 'slipway up', { cause: error });
  }
}
