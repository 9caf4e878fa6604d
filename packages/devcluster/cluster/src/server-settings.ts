import type { ServerSettings } from './api-server-process.js';
import { ClusterStartError } from './cluster-start-error.js';
import { acceptedFlag, gateValuesOf, type PinnedGates } from './component-gates.js';
import { requireSupported } from './kubernetes-version.js';

/**
 * Returns the settings of each API server: its own version and gates, by default those of the cluster.
 * @throws ClusterStartError BadOption when a server of its version refuses its gates
 */
export function serverSettings(
  asked: readonly Partial<ServerSettings>[],
  version: string,
  pinned: PinnedGates,
): readonly ServerSettings[] {
  if (asked.length === 0)
    throw new ClusterStartError('BadOption', 'a cluster needs at least one API server', 'ask for one or more');
  return asked.map((one) => {
    const settings = {
      version,
      ...one,
      featureGates: { ...gateValuesOf(pinned['kube-apiserver']), ...one.featureGates },
    };
    requireSupported(settings.version);
    acceptedFlag('kube-apiserver', settings.version, settings.featureGates);
    return settings;
  });
}
