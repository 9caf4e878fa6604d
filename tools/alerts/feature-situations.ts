import type { Feature } from '@slipway/features';
import { findCondition } from '@slipway/kube';
import { featureMetrics } from '../../packages/features/src/metrics/feature-metrics.js';
import { type Gate, ModelCluster } from '../../packages/features/src/simulation/model-cluster.js';
import type { Pages, Situation } from './situation.js';

const namespace = 'kube-system';

/** Lets a feature server run, and returns what it prints of one feature before and after something happened. */
async function served(gate: Gate, happen: (cluster: ModelCluster) => Promise<void>): Promise<Pages> {
  const cluster = new ModelCluster({ widgets: 0 });
  const page = () =>
    featureMetrics(
      [cluster.feature(gate)].filter((feature) => feature !== undefined),
      1,
    );
  cluster.startServer(1);
  try {
    await cluster.until(() => cluster.feature(gate)?.status?.state === 'Off');
    const before = page();
    await happen(cluster);
    return [
      [0, before],
      [5, page()],
    ];
  } finally {
    await cluster.stop();
  }
}

/** A cluster in which no component has reported a gate has no feature, and a server all the same. */
export function healthyFeatures(): string {
  return featureMetrics([], 1);
}

export const featureSituations: Readonly<Record<string, () => Promise<Situation>>> = {
  async SlipwayFeatureBlocked() {
    const features = await served('Held', async (cluster) => {
      await cluster.edit('Held', { mode: 'Dynamic', desired: 'On' });
      await cluster.until(() => cluster.feature('Held')?.status?.state === 'On');
      cluster.put(0, 'held');
      await cluster.edit('Held', { desired: 'Off' });
      await cluster.until(() => isBlocked(cluster.feature('Held')));
    });
    return { pages: { features }, quietUntil: 34, labels: { namespace, feature: 'Held', reason: 'ObjectsRemain' } };
  },
  async SlipwayFeatureSilent() {
    const features = await served('Cleared', async (cluster) => {
      for (const process of cluster.processes) process.isCutOff = process.instance === 'n1';
      await cluster.edit('Cleared', { mode: 'Dynamic', desired: 'On' });
      const kubelets = () =>
        cluster.feature('Cleared')?.status?.uses?.components.find(({ name }) => name === 'kubelet');
      await cluster.until(() => kubelets()?.silent === 1, 1_800_000);
    });
    return { pages: { features }, quietUntil: 34, labels: { namespace, feature: 'Cleared', component: 'kubelet' } };
  },
  async SlipwayFeatureLeftovers() {
    const features = await served('Cleared', async (cluster) => {
      await cluster.edit('Cleared', { cleanup: 'Manual' });
      cluster.put(0, 'fancy');
      await cluster.until(() => cluster.feature('Cleared')?.status?.dangling?.count === 1, 1_800_000);
    });
    return { pages: { features }, quietUntil: 34, labels: { namespace, feature: 'Cleared' } };
  },
  async SlipwayFeatureServerAway() {
    return {
      pages: {
        features: [
          [0, healthyFeatures()],
          [5, undefined],
        ],
      },
      quietUntil: 19,
      labels: {},
    };
  },
};

function isBlocked(feature: Feature | undefined): boolean {
  return findCondition(feature?.status?.conditions, 'Blocked')?.status === 'True';
}
