import { metricText } from '@slipway/feature-gates/metrics';
import type { Actuator } from '../../packages/balloons/src/actuators/actuator.js';
import { samplesOf } from '../../packages/balloons/src/metrics/node-gauges.js';
import { parseAmounts } from '../../packages/balloons/src/planner/amounts.js';
import { Pod } from '../../packages/balloons/src/pods/pod.js';
import { ModelCluster, type ModelOptions } from '../../packages/balloons/src/testing/model-cluster.js';
import type { Pages, Situation } from './situation.js';

const quarter = { mode: 'Size', size: { cpu: '4', memory: '16Gi' } } as const;

/** Lets the balloon controllers run on nodes that have a size. */
async function sized<T>(options: ModelOptions, run: (cluster: ModelCluster) => Promise<T>): Promise<T> {
  const cluster = new ModelCluster(options);
  try {
    await cluster.until(() => cluster.balloon('n1')?.status?.phase === 'Running');
    return await run(cluster);
  } finally {
    await cluster.stop();
  }
}

export async function healthyNodes(): Promise<string> {
  return await sized({}, async (cluster) => {
    await cluster.resize('n1', quarter);
    return cluster.metrics.page();
  });
}

export const nodeSituations: Readonly<Record<string, () => Promise<Situation>>> = {
  async SlipwayOvercommit() {
    const cluster = await sized({ nodes: 3, policy: { default: quarter } }, async (model) => {
      const pages: [number, string][] = [[0, stateMetrics(model)]];
      for (const [minute, cpu] of [
        [5, '3'],
        [10, '3'],
        [15, '3'],
      ] as const) {
        const name = `web-${minute}`;
        model.addWorkload(name, { cpu, memory: '1Gi' });
        await model.until(() => model.pod(name)?.status?.phase === 'Running');
        pages.push([minute, stateMetrics(model)]);
      }
      return pages;
    });
    return { pages: { cluster }, quietUntil: 24, labels: { resource: 'cpu' } };
  },
  async SlipwayHarm() {
    const nodes = await sized({}, async (model): Promise<Pages> => {
      model.addWorkload('web', { cpu: '1', memory: '1Gi' });
      await model.until(() => model.pod('web')?.status?.phase === 'Running');
      await model.resize('n1', quarter);
      const before = model.metrics.page();
      const pod = model.pod('web');
      if (pod) model.put(Pod, { ...pod, status: { phase: 'Failed', reason: 'Evicted' } });
      await model.pass(1_000);
      return [
        [0, before],
        [5, model.metrics.page()],
      ];
    });
    return { pages: { nodes }, quietUntil: 4, labels: { instance: 'nodes', kind: 'evicted' } };
  },
  async SlipwayBalloonLost() {
    const nodes = await sized({}, async (model): Promise<Pages> => {
      await model.resize('n1', quarter);
      const before = model.metrics.page();
      const pod = model.balloon('n1');
      if (pod) await model.deletePod(pod);
      await model.pass(1_000);
      return [
        [0, before],
        [5, model.metrics.page()],
      ];
    });
    return { pages: { nodes }, quietUntil: 4, labels: { instance: 'nodes', cause: 'deleted' } };
  },
  async SlipwayExposed() {
    const answer = { state: 'Done', granted: parseAmounts({ cpu: '2', memory: '16Gi' }) } as const;
    const lab: Actuator = {
      name: 'lab',
      resources: ['cpu', 'memory'],
      ensure: async () => answer,
      observe: async () => answer,
    };
    const options = { policy: { actuatorRef: { name: 'lab' } }, actuators: new Map([['lab', lab]]) };
    const nodes = await sized(options, async (model): Promise<Pages> => {
      const pages: [number, string][] = [[0, model.metrics.page()]];
      await model.resize('n1', quarter);
      for (let minute = 5; minute < 10; minute++) {
        pages.push([minute, model.metrics.page()]);
        await model.pass(60_000, 1_000);
      }
      return pages;
    });
    return { pages: { nodes }, quietUntil: 5, labels: { instance: 'nodes', node: 'n1' } };
  },
};

/** What kube-state-metrics prints of the nodes and pods of a cluster. */
function stateMetrics(model: ModelCluster): string {
  const nodes = [...model.kubelets.keys()].map((name) => ({ name, ...model.node(name)?.status }));
  const allocatable = nodes.flatMap(({ name, ...status }) => samplesOf(name, parseAmounts(status.allocatable)));
  const requested = model.pods().flatMap(({ metadata, spec }) => {
    const { name: pod = '', namespace = '' } = metadata;
    const containers = spec?.containers as { name: string; resources: { requests: Record<string, string> } }[];
    return containers.flatMap(({ name: container, resources: { requests } }) =>
      samplesOf(String(spec?.nodeName ?? ''), parseAmounts(requests)).map(({ labels, value }) => ({
        labels: { namespace, pod, container, ...labels },
        value,
      })),
    );
  });
  return [
    metricText('kube_node_status_allocatable', 'gauge', '', allocatable),
    metricText('kube_pod_container_resource_requests', 'gauge', '', requested),
  ].join('');
}
