import { BalloonMetrics, balloonContainer, type NodeSize } from '@slipway/balloons';
import type { Feature } from '@slipway/features';
import { ManualClock } from '@slipway/kube/testing';
import { AgentMetrics } from '@slipway/node-agent';
import { expect, test } from 'vitest';
import { featureMetrics } from '../../../packages/features/src/metrics/feature-metrics.js';
import { PullLimiter } from '../../../packages/image-pulls/src/limiter/pull-limiter.js';
import { PullMetrics } from '../../../packages/image-pulls/src/metrics/pull-metrics.js';
import { dashboard, panels } from './dashboard.js';
import { ruleGroups } from './rules.js';

/** Labels that Prometheus itself or kube-state-metrics adds. */
const foreignLabels = ['instance', '__name__', 'container'];
const foreignMetrics = ['kube_pod_container_resource_requests', 'kube_node_status_allocatable'];
const rules = ruleGroups.flatMap(({ rules }) => rules);
const records = rules.flatMap((rule) => ('record' in rule ? [rule.record] : []));

/** Every series that the processes print, by name, with its labels. */
const series = new Map<string, Set<string>>();
for (const page of [featurePage(), balloonPage(), agentPage(), pullsPage()]) {
  for (const line of page.split('\n').filter((text) => text !== '' && !text.startsWith('#'))) {
    const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    const known = series.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    series.set(name, known);
  }
}
const allLabels = new Set([...[...series.values()].flatMap((labels) => [...labels]), ...foreignLabels]);

const expressions: [string, string][] = [
  ...rules.map((rule): [string, string] => ['record' in rule ? rule.record : rule.alert, rule.expr]),
  ...panels.map(({ title, expr }): [string, string] => [title, expr]),
];

test.each(expressions)('%s asks for series and labels that the processes print', (_, expr) => {
  for (const [open, close] of ['()', '{}', '[]']) {
    expect(expr.split(open ?? '').length).toBe(expr.split(close ?? '').length);
  }
  for (const [used] of expr.matchAll(/slipway:\w+/g)) expect(records).toContain(used);
  for (const [used] of expr.replaceAll(/"[^"]*"/g, '""').matchAll(/\b(slipway_\w+|kube_\w+)/g)) {
    expect([...series.keys(), ...foreignMetrics]).toContain(used);
  }
  for (const [, pattern = ''] of expr.matchAll(/__name__=~"([^"]+)"/g)) {
    const [, prefix, names = ''] = /^(\w+)\((.*)\)$/.exec(pattern) ?? [];
    for (const name of names.split('|')) expect([...series.keys()]).toContain(prefix + name);
  }
  for (const [, metric = '', selectors = ''] of expr.matchAll(/(slipway_\w+)\{([^}]*)\}/g)) {
    for (const [, label = ''] of selectors.matchAll(/(\w+)(?:=|!)/g))
      expect([...(series.get(metric) ?? [])]).toContain(label);
  }
  for (const [, labels = ''] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)) {
    for (const label of labels.split(', ')) expect([...allLabels]).toContain(label);
  }
  for (const [, container] of expr.matchAll(/container!?="([^"]+)"/g)) expect(container).toBe(balloonContainer);
});

test('texts of alerts and legends name labels that their expressions keep', () => {
  const texts = [
    ...rules.flatMap((rule) => ('alert' in rule ? [[rule.annotations.summary, rule.expr] as const] : [])),
    ...panels.map(({ legend, expr }) => [legend, expr] as const),
  ];
  for (const [text, expr] of texts) {
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
    const printed = [...expr.matchAll(/slipway_\w+/g)].flatMap(([name]) => [...(series.get(name) ?? [])]);
    const kept = grouped.length > 0 ? grouped : printed;
    for (const [, label = ''] of text.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)) expect(kept).toContain(label);
  }
});

test('names of rules and panels are unique, and panels do not overlap', () => {
  const names = expressions.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  const cells = dashboard().panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

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
