import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import type { Actuator } from '../actuators/actuator.js';
import type { FinishedResize, NodeSize, NodeSizeStatus } from '../api/node-size.js';
import { nothing } from '../planner/amounts.js';
import type { PodShare } from '../world/requested-amounts.js';
import { BalloonMetrics } from './balloon-metrics.js';
import { meteredActuators } from './metered-actuators.js';

const startMs = Date.parse('2026-11-22T00:00:00Z');
const sizeWith = (status: NodeSizeStatus): NodeSize => ({
  apiVersion: 'balloons.slipway.dev/v1alpha1',
  kind: 'NodeSize',
  metadata: { name: 'n1' },
  spec: {},
  status,
});
const ended = (id: string, more: Partial<FinishedResize> = {}): FinishedResize => ({
  id,
  direction: 'Down',
  from: {},
  to: {},
  result: 'Succeeded',
  reason: 'Allocated',
  message: '',
  finishedAt: new Date(startMs).toISOString(),
  durationMs: 120,
  ...more,
});
const pod = (failure?: string): PodShare => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  share: {
    node: 'n1',
    amounts: nothing,
    deferred: false,
    isBalloon: false,
    failure,
    neighbour: undefined,
    replica: undefined,
  },
});

function metricsOf(status: NodeSizeStatus) {
  const clock = new ManualClock(startMs);
  const metrics = new BalloonMetrics(clock);
  const size = sizeWith(status);
  metrics.readFrom({ list: () => [size], get: () => size });
  return { clock, metrics, size };
}

test('page() keeps what does not exist apart from what is in use', () => {
  const { metrics } = metricsOf({
    hardware: { cpu: '16', memory: '64Gi' },
    size: { cpu: '3750m', memory: '16Gi' },
    requested: { cpu: '1', memory: '0' },
    balloon: { desired: { cpu: '12250m', memory: '48Gi' }, allocated: { cpu: '12', memory: '48Gi' } },
  });
  const page = metrics.page();
  expect(page).toContain('slipway_node_size{node="n1",resource="cpu",unit="core"} 3.75\n');
  expect(page).toContain('slipway_node_size{node="n1",resource="memory",unit="byte"} 17179869184\n');
  expect(page).toContain('slipway_node_requested{node="n1",resource="cpu",unit="core"} 1\n');
  expect(page).toContain('slipway_node_balloon{node="n1",resource="cpu",unit="core",state="allocated"} 12\n');
  expect(page).toContain('slipway_balloon_harm_total{kind="rejected"} 0\n');
});

test('each resize that ends is counted once, with how long it took', () => {
  const { metrics } = metricsOf({});
  const first = sizeWith({ lastResize: ended('a') });
  metrics.sizeChanged({ type: 'added', object: first });
  const second = sizeWith({ lastResize: ended('b', { result: 'RolledBack', durationMs: 700 }) });
  metrics.sizeChanged({ type: 'updated', object: second, previous: first });
  metrics.sizeChanged({ type: 'updated', object: second, previous: second });
  const page = metrics.page();
  expect(page).toContain('slipway_balloon_resizes_total{direction="Down",result="RolledBack"} 1\n');
  expect(page).not.toContain('result="Succeeded"');
  expect(page).toContain('slipway_balloon_resize_duration_seconds_bucket{direction="Down",phase="whole",le="0.5"} 0\n');
  expect(page).toContain('slipway_balloon_resize_duration_seconds_bucket{direction="Down",phase="whole",le="1"} 1\n');
  expect(page).toContain('slipway_balloon_resize_duration_seconds_sum{direction="Down",phase="whole"} 0.7\n');
});

test.each<[string, string, NodeSizeStatus, number, number]>([
  ['OutOfcpu', 'rejected', { lastResize: ended('a') }, 4_000, 1],
  ['OutOfcpu', 'rejected', { lastResize: ended('a') }, 6_000, 0],
  ['OutOfcpu', 'rejected', { lastResize: ended('a', { direction: 'Up' }) }, 1_000, 0],
  ['Preempting', 'preempted', { lastResize: ended('a') }, 1_000, 1],
  ['PreemptionByScheduler', 'preempted', { lastResize: ended('a') }, 1_000, 1],
  ['Evicted', 'evicted', { lastResize: ended('a') }, 1_000, 1],
  ['DeadlineExceeded', 'evicted', { lastResize: ended('a') }, 1_000, 0],
  ['OutOfpods', 'rejected', { lastResize: ended('a') }, 1_000, 0],
])(
  'a pod that fails as %s counts as %s harm when a balloon just grew',
  async (failure, kind, status, afterMs, count) => {
    const { metrics, clock } = metricsOf(status);
    await clock.advance(afterMs);
    metrics.podChanged({ type: 'updated', object: pod(failure), previous: pod() });
    expect(metrics.page()).toContain(`slipway_balloon_harm_total{kind="${kind}"} ${count}\n`);
  },
);

test('time in which more is promised than granted is counted until it ends', async () => {
  const { metrics, clock } = metricsOf({});
  const exposed = sizeWith({ size: { cpu: '8' }, actuator: { name: 'a', phase: 'Error', granted: { cpu: '4' } } });
  metrics.readFrom({ list: () => [exposed], get: () => exposed });
  metrics.sizeChanged({ type: 'added', object: exposed });
  await clock.advance(30_000);
  expect(metrics.page()).toContain('slipway_balloon_exposed_seconds_total{node="n1"} 30\n');
});

test('a balloon that is lost is counted with its cause, from 0 on', () => {
  const { metrics } = metricsOf({});
  for (const cause of ['deleted', 'evicted', 'failed', 'preempted'])
    expect(metrics.page()).toContain(`slipway_balloon_lost_total{cause="${cause}"} 0\n`);
  const balloon = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' } };
  const lost = { ...balloon, status: { phase: 'Failed', reason: 'Preempting' } };
  metrics.balloonChanged({ type: 'updated', object: lost, previous: balloon });
  metrics.balloonChanged({ type: 'updated', object: lost, previous: lost });
  expect(metrics.page()).toContain('slipway_balloon_lost_total{cause="preempted"} 1\n');
});

test('calls of actuators are counted by how they end, and timed', async () => {
  const { metrics, clock } = metricsOf({});
  const actuator: Actuator = {
    name: 'lab',
    resources: ['memory'],
    async ensure() {
      await clock.advance(300);
      return { state: 'Failed', message: 'in use' };
    },
    observe: async () => ({ state: 'Done' }),
  };
  const lab = meteredActuators(new Map([['lab', actuator]]), metrics, clock).get('lab');
  const { signal } = new AbortController();
  await lab?.ensure({ node: 'n1', operationID: 'a', from: nothing, to: nothing }, signal);
  await lab?.observe({ node: 'n1' }, signal);
  const page = metrics.page();
  expect(page).toContain('slipway_actuator_calls_total{actuator="lab",verb="ensure",result="Failed"} 1\n');
  expect(page).toContain('slipway_actuator_calls_total{actuator="lab",verb="observe",result="Done"} 1\n');
  expect(page).toContain('slipway_actuator_duration_seconds_sum{actuator="lab",verb="ensure"} 0.3\n');
});
