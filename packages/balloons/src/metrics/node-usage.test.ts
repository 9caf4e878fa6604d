import { Kube, silentLog } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { formatAmounts } from '../planner/amounts.js';
import { NodeUsage } from './node-usage.js';

const nodeMetrics = { group: 'metrics.k8s.io', plural: 'nodes' };
const podMetrics = { group: 'metrics.k8s.io', plural: 'pods' };
const apiVersion = 'metrics.k8s.io/v1beta1';

test('NodeUsage is what the metrics API says without what balloons use, and follows it', async () => {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const measure = (cpu: string) =>
    api.seed(nodeMetrics, { apiVersion, kind: 'NodeMetrics', metadata: { name: 'n1' }, usage: { cpu, memory: '2Gi' } });
  measure('1500m');
  const labels = { 'balloons.slipway.dev/balloon': 'true' };
  const metadata = { name: 'b', namespace: 'kube-system', labels };
  const containers = [{ name: 'slipway-balloon', usage: { cpu: '1m', memory: '1Mi' } }];
  api.seed(podMetrics, { apiVersion, kind: 'PodMetrics', metadata, containers });
  const usage = new NodeUsage(
    new Kube(api, { clock }),
    { balloonNames: () => new Map([['n1', 'b']]) },
    'kube-system',
    silentLog,
  );
  const stopping = new AbortController();
  const work = usage.start(stopping.signal);
  await clock.advance(1_000);
  expect([...usage.all()].map(([node, amounts]) => [node, formatAmounts(amounts)])).toEqual([
    ['n1', { cpu: '1499m', memory: '2047Mi' }],
  ]);
  measure('2');
  await clock.advance(30_000);
  expect(usage.all().get('n1')?.cpu).toBe(1_999n);
  stopping.abort();
  await work;
});

test('a cluster without metrics does not stop the requests', async () => {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const usage = new NodeUsage(new Kube(api, { clock }), { balloonNames: () => new Map() }, 'kube-system', silentLog);
  const stopping = new AbortController();
  const work = usage.start(stopping.signal);
  await clock.advance(31_000);
  expect(usage.all().size).toBe(0);
  stopping.abort();
  await work;
});
