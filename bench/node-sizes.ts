/** What resizing nodes costs: one, fenced and not, all of a cluster, the kubelets of one machine, and the plan alone. */
import { BalloonPolicy, HostPartition, NodeSize, parseAmounts, planSize, readPolicy } from '@slipway/balloons';
import { InformerFactory, isConditionTrue, Kube, silentLog } from '@slipway/kube';
import { startCluster } from './support/cluster.js';
import { type Measured, quantile, report } from './support/report.js';

const nodes = Number(process.env.BENCH_NODES ?? 1_500);
const resizes = Number(process.env.BENCH_RESIZES ?? 100);
const kubelets = 100;
const plans = 200_000;

const anchor = (value: number) => ({ name: 'target', value });
const rows: Measured[] = [planner(), ...(await oneAfterTheOther()), await allAtOnce(), await partition()];
report('node-sizes', rows);

function planner(): Measured {
  const limits = readPolicy(aPolicy({})).limits;
  const input = {
    allocatable: parseAmounts({ cpu: 16, memory: '64Gi' }),
    requested: parseAmounts({ cpu: 3, memory: '10Gi' }),
    balloon: parseAmounts({ cpu: 8, memory: '32Gi' }),
    wish: { cpu: { kind: 'size', amount: 4_000n }, memory: { kind: 'size', amount: 16n * 1024n ** 3n } },
    fit: 'Exact',
    limits,
  } as const;
  const startedAt = performance.now();
  for (let plan = 0; plan < plans; plan++) planSize(input);
  const value = ((performance.now() - startedAt) * 1_000) / plans;
  return { what: 'one plan', unit: 'us', better: 'less', value, anchor: anchor(50) };
}

async function oneAfterTheOther(): Promise<Measured[]> {
  return await withCluster(3, [], async (_, sizes) => {
    const took: Record<'Never' | 'Always', number[]> = { Never: [], Always: [] };
    for (const fence of ['Never', 'Always'] as const) {
      for (let resize = 0; resize < resizes; resize++) {
        const cpu = resize % 2 === 0 ? '4' : '3';
        took[fence].push(await sizes.resize('n1', { mode: 'Size', size: { cpu, memory: '16Gi' }, fence }));
      }
    }
    const shrinking = (all: readonly number[]) => all.filter((_, at) => at % 2 === 1);
    const row = (what: string, all: readonly number[], at: number, target: number): Measured => {
      return { what, unit: 'ms', better: 'less', value: quantile([...shrinking(all)], at), anchor: anchor(target) };
    };
    return [
      row('a node made smaller, without a fence, p50', took.Never, 0.5, 150),
      row('the same, p99', took.Never, 0.99, 1_000),
      row('a node made smaller behind a fence, p50', took.Always, 0.5, 700),
      row('the same, p99', took.Always, 0.99, 2_000),
    ];
  });
}

/** From the first size that is asked for to the last that is reached. */
async function allAtOnce(): Promise<Measured> {
  return await withCluster(nodes, [], async (_, sizes) => {
    const startedAt = performance.now();
    const all = Array.from({ length: nodes }, (_, at) =>
      sizes.resize(`n${at + 1}`, { mode: 'Size', size: { cpu: '4', memory: '16Gi' } }),
    );
    await Promise.all(all);
    const value = (performance.now() - startedAt) / 1_000;
    return { what: `${nodes} nodes resized`, unit: 's', better: 'less', value, anchor: anchor((60 * nodes) / 5_000) };
  });
}

async function partition(): Promise<Measured> {
  return await withCluster(kubelets, ['--shared-host', '400cpu/1600Gi'], async (kube) => {
    const informers = new InformerFactory(kube, { log: silentLog });
    const startedAt = performance.now();
    const balanced = new Promise<void>((resolve) => {
      informers.informer(HostPartition).onChange(({ object }) => {
        if (isConditionTrue(object.status?.conditions, 'Balanced')) resolve();
      });
    });
    informers.start();
    const metadata = { name: 'lab-1' };
    await kube
      .resource(HostPartition)
      .create({ ...kind('HostPartition'), metadata, spec: { host: 'lab-1', equal: true } });
    await balanced;
    const value = (performance.now() - startedAt) / 1_000;
    await informers.stop();
    return { what: `${kubelets} kubelets share a machine`, unit: 's', better: 'less', value, anchor: anchor(10) };
  });
}

interface Sizes {
  /** Asks for a size; resolves with the milliseconds until the node has it. */
  resize(node: string, spec: object): Promise<number>;
}

/** A cluster whose nodes all have balloons. */
async function withCluster<T>(
  count: number,
  flags: readonly string[],
  measure: (kube: Kube, sizes: Sizes) => Promise<T>,
): Promise<T> {
  const ordinary = flags.length === 0 ? ['--node-cpu', '16', '--node-memory', '64Gi'] : flags;
  const cluster = await startCluster('--ephemeral', '--nodes', String(count), ...ordinary);
  const kube = await Kube.connect({ kubeconfig: cluster.kubeconfig, qps: 10_000 });
  const informers = new InformerFactory(kube, { log: silentLog });
  const informer = informers.informer(NodeSize);
  const waiting = new Map<string, () => void>();
  let ready = 0;
  const allReady = new Promise<void>((resolve) => {
    informer.onChange(({ object, previous }) => {
      const { status, metadata } = object;
      if (status?.lastResize && !previous?.status?.lastResize && ++ready === count) resolve();
      if (!status?.resize) waiting.get(`${metadata.name}/${status?.observedRequestID}`)?.();
    });
  });
  informers.start();
  let asked = 0;
  const resize = async (node: string, spec: object) => {
    const requestID = `r${++asked}`;
    const answered = new Promise<void>((resolve) => waiting.set(`${node}/${requestID}`, resolve));
    const startedAt = performance.now();
    await kube.resource(NodeSize).merge({ name: node }, { spec: { ...spec, requestID } });
    await answered;
    return performance.now() - startedAt;
  };
  try {
    await kube.resource(BalloonPolicy).create(aPolicy({ concurrency: { cluster: 200, perFailureDomain: 200 } }));
    await allReady;
    return await measure(kube, { resize });
  } finally {
    await informers.stop();
    await cluster.stop();
  }
}

function aPolicy(spec: BalloonPolicy['spec']): BalloonPolicy {
  return { ...kind('BalloonPolicy'), metadata: { name: 'bench' }, spec };
}

function kind(name: string) {
  return { apiVersion: `${NodeSize.group}/${NodeSize.version}`, kind: name };
}
