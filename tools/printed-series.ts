import { BalloonMetrics, type NodeSize } from '@slipway/balloons';
import type { Feature } from '@slipway/features';
import { ManualClock } from '@slipway/kube/testing';
import { AgentMetrics } from '@slipway/node-agent';
import { featureMetrics } from '../packages/features/src/metrics/feature-metrics.js';
import { PullLimiter } from '../packages/image-pulls/src/limiter/pull-limiter.js';
import { PullMetrics } from '../packages/image-pulls/src/metrics/pull-metrics.js';

/** Every series that the processes print, by name, with its labels: read from pages that their own code writes. */
export function printedSeries(): ReadonlyMap<string, ReadonlySet<string>> {
  const series = new Map<string, Set<string>>();
  for (const page of [featurePage(), balloonPage(), agentPage(), pullsPage()]) {
    for (const line of page.split('\n').filter((text) => text !== '' && !text.startsWith('#'))) {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
      const known = series.get(name) ?? new Set();
      for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
      series.set(name, known);
    }
  }
  return series;
}

function featurePage(): string {
  const time = '2026-01-01T00:00:00Z';
  const condition = (type: string, reason: string) => ({
    type,
    reason,
    status: 'True',
    message: '',
    lastTransitionTime: time,
  });
  const feature = {
    metadata: { name: 'widgets', namespace: 'kube-system' },
    spec: { gate: 'Widgets', desired: 'Off' },
    status: {
      state: 'Off',
      uses: { epoch: 1, components: [{ name: 'server', on: 1, off: 0, unregistered: 0, silent: 1, waived: 0 }] },
      dangling: { count: 3, complete: true, scannedAt: time, samples: [] },
      conditions: [condition('Blocked', 'NeedsApproval')],
    },
  };
  return featureMetrics([feature as unknown as Feature], 1);
}

function balloonPage(): string {
  const metrics = new BalloonMetrics(new ManualClock(0));
  const amounts = { cpu: '4', memory: '8Gi' };
  const sizeAfter = (id: string) =>
    ({
      metadata: { name: 'n1' },
      spec: {},
      status: {
        hardware: amounts,
        allocatable: amounts,
        size: amounts,
        requested: amounts,
        free: amounts,
        balloon: { desired: amounts, allocated: amounts },
        actuator: { name: 'lab', phase: 'Done', granted: { cpu: '2' } },
        lastResize: { id, direction: 'Down', result: 'Succeeded', durationMs: 1, finishedAt: '2026-01-01T00:00:00Z' },
      },
    }) as unknown as NodeSize;
  const usage = { all: () => new Map([['n1', { cpu: 1n, memory: 1n }]]) } as unknown as Parameters<
    typeof metrics.readFrom
  >[1];
  metrics.readFrom({ list: () => [sizeAfter('b')], get: () => sizeAfter('b') }, usage, usage);
  metrics.sizeChanged({ type: 'updated', object: sizeAfter('b'), previous: sizeAfter('a') });
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' } };
  metrics.balloonChanged({ type: 'updated', object: { ...pod, status: { phase: 'Failed' } }, previous: pod });
  return metrics.page();
}

function agentPage(): string {
  const metrics = new AgentMetrics();
  metrics.seen('kubelet', true);
  metrics.note('kubelet', 'read');
  return metrics.page();
}

function pullsPage(): string {
  const metrics = new PullMetrics();
  metrics.note({ what: 'ended', outcome: 'OK', pulledMs: 1 } as Parameters<typeof metrics.note>[0]);
  metrics.note({ what: 'started', lane: 'place', waitedMs: 1 } as Parameters<typeof metrics.note>[0]);
  return metrics.page(new PullLimiter({ limit: 1 }).state());
}
