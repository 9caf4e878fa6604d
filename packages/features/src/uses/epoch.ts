import { epochConfigMap } from '@slipway/feature-gates';
import { hasReason, type Kube, type KubeObject, type ResourceRef, slipwayLabels } from '@slipway/kube';

const ConfigMap: ResourceRef<KubeObject & { data?: Record<string, string> }> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

/** Reports that all processes together may write per second: a tenth of 100 is for chance and for the servers. */
const reportsPerSecond = 90;

export interface NewRound {
  readonly namespace: string;
  /** How many processes will report. */
  readonly processes: number;
  /** The newest round that is known: a ConfigMap that was lost must not bring an old number back. */
  readonly above: number;
}

/**
 * Opens a new round in a namespace and gives its number: every process there
 * reports again, spread so that together they stay below 100 writes per second.
 */
export async function raiseEpoch(kube: Kube, round: NewRound, signal?: AbortSignal): Promise<number> {
  const { namespace, processes, above } = round;
  const configMaps = kube.resource(ConfigMap);
  const spreadSeconds = String(Math.round((processes / reportsPerSecond) * 100) / 100);
  const next = (epoch: string | undefined) => Math.max(Number.parseInt(epoch ?? '0', 10) || 0, above) + 1;
  for (;;) {
    try {
      const written = await configMaps.mutate(
        { namespace, name: epochConfigMap },
        (draft) => ({ ...draft, data: { ...draft.data, epoch: String(next(draft.data?.epoch)), spreadSeconds } }),
        { signal },
      );
      return Number(written.data?.epoch);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
    try {
      const metadata = { name: epochConfigMap, namespace, labels: slipwayLabels('features') };
      const data = { epoch: String(next(undefined)), spreadSeconds };
      await configMaps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, { signal });
      return next(undefined);
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
    }
  }
}
