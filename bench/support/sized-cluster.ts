import { BalloonPolicy, NodeSize } from '@slipway/balloons';
import { InformerFactory, Kube, silentLog } from '@slipway/kube';
import { type BenchCluster, startCluster } from './cluster.js';

/** A cluster whose nodes get balloons. */
export interface SizedCluster {
  readonly kube: Kube;
  readonly cluster: BenchCluster;
  /** Gives every node a balloon; resolves once all have one of the size they should. */
  provide(): Promise<void>;
  /** Asks for a size; resolves with the milliseconds until the node has it. */
  resize(node: string, spec: object): Promise<number>;
}

const ordinary = ['--node-cpu', '16', '--node-memory', '64Gi'];

/** Runs `measure` with a cluster of so many nodes that have no balloons yet; `flags` say what nodes are like. */
export async function withSizedCluster<T>(
  count: number,
  measure: (sized: SizedCluster) => Promise<T>,
  flags: readonly string[] = ordinary,
): Promise<T> {
  const cluster = await startCluster('--ephemeral', '--nodes', String(count), ...flags);
  const kube = await Kube.connect({ kubeconfig: cluster.kubeconfig, qps: 10_000 });
  const informers = new InformerFactory(kube, { log: silentLog });
  const waiting = new Map<string, () => void>();
  let sized = 0;
  const allSized = new Promise<void>((resolve) => {
    informers.informer(NodeSize).onChange(({ object: { status, metadata }, previous }) => {
      if (status?.lastResize && !previous?.status?.lastResize && ++sized === count) resolve();
      if (!status?.resize) waiting.get(`${metadata.name}/${status?.observedRequestID}`)?.();
    });
  });
  informers.start();
  let asked = 0;
  try {
    return await measure({
      kube,
      cluster,
      async provide() {
        await kube
          .resource(BalloonPolicy)
          .create(benchPolicy({ concurrency: { cluster: 200, perFailureDomain: 200 } }));
        await allSized;
      },
      async resize(node, spec) {
        const requestID = `r${++asked}`;
        const answered = new Promise<void>((resolve) => waiting.set(`${node}/${requestID}`, resolve));
        const startedAt = performance.now();
        await kube.resource(NodeSize).merge({ name: node }, { spec: { ...spec, requestID } });
        await answered;
        return performance.now() - startedAt;
      },
    });
  } finally {
    await informers.stop();
    await cluster.stop();
  }
}

export function benchPolicy(spec: BalloonPolicy['spec']): BalloonPolicy {
  return { ...balloonKind('BalloonPolicy'), metadata: { name: 'bench' }, spec };
}

export function balloonKind(kind: string) {
  return { apiVersion: `${NodeSize.group}/${NodeSize.version}`, kind };
}
