/** What resizing a node costs: one after the other, fenced and not, the kubelets of one machine together, and the plan alone. */
import { HostPartition, parseAmounts, planSize, readPolicy } from '@slipway/balloons';
import { InformerFactory, isConditionTrue, silentLog } from '@slipway/kube';
import { type Measured, quantile, report } from './support/report.js';
import { balloonKind, benchPolicy, type SizedCluster, withSizedCluster } from './support/sized-cluster.js';

const resizes = Number(process.env.BENCH_RESIZES ?? 100);
const kubelets = 100;
const plans = 200_000;

const target = (value: number) => ({ name: 'target', value });
report('node-sizes', [planner(), ...(await oneAfterTheOther()), await partition()]);

function planner(): Measured {
  const limits = readPolicy(benchPolicy({})).limits;
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
  return { what: 'one plan', unit: 'us', better: 'less', value, anchor: target(50) };
}

async function oneAfterTheOther(): Promise<Measured[]> {
  return await withSizedCluster(3, async ({ provide, resize }) => {
    await provide();
    const took: Record<'Never' | 'Always', number[]> = { Never: [], Always: [] };
    for (const fence of ['Never', 'Always'] as const) {
      for (let at = 0; at < resizes; at++) {
        const cpu = at % 2 === 0 ? '4' : '3';
        took[fence].push(await resize('n1', { mode: 'Size', size: { cpu, memory: '16Gi' }, fence }));
      }
    }
    const shrinking = (all: readonly number[]) => all.filter((_, at) => at % 2 === 1);
    const row = (what: string, all: readonly number[], at: number, limit: number): Measured => {
      return { what, unit: 'ms', better: 'less', value: quantile(shrinking(all), at), anchor: target(limit) };
    };
    return [
      row('a node made smaller, without a fence, p50', took.Never, 0.5, 150),
      row('the same, p99', took.Never, 0.99, 1_000),
      row('a node made smaller behind a fence, p50', took.Always, 0.5, 700),
      row('the same, p99', took.Always, 0.99, 2_000),
    ];
  });
}

async function partition(): Promise<Measured> {
  const flags = ['--shared-host', '400cpu/1600Gi'];
  const measure = async ({ kube, provide }: SizedCluster) => {
    await provide();
    const informers = new InformerFactory(kube, { log: silentLog });
    const balanced = new Promise<void>((resolve) => {
      informers.informer(HostPartition).onChange(({ object }) => {
        if (isConditionTrue(object.status?.conditions, 'Balanced')) resolve();
      });
    });
    informers.start();
    const startedAt = performance.now();
    const spec = { host: 'lab-1', equal: true };
    const partition = { ...balloonKind('HostPartition'), metadata: { name: 'lab-1' }, spec };
    await kube.resource(HostPartition).create(partition);
    await balanced;
    const tookMs = performance.now() - startedAt;
    await informers.stop();
    return tookMs;
  };
  const value = (await withSizedCluster(kubelets, measure, flags)) / 1_000;
  return { what: `${kubelets} kubelets share a machine`, unit: 's', better: 'less', value, anchor: target(10) };
}
