import { Kube, type KubeRequest, silentLog, type Transport } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { OwnerGraph } from './owner-graph.js';
import { ResourceWatch } from './watch-resources.js';

test('500 kinds that are defined at once are watched in several ticks', async () => {
  const resources = Array.from({ length: 500 }, (_, index) => ({
    name: `kinds${index}`,
    singularName: `kind${index}`,
    kind: `Kind${index}`,
    namespaced: true,
    verbs: ['list', 'watch', 'delete'],
  }));
  const discovery: Record<string, unknown> = {
    '/api': { versions: [] },
    '/apis': {
      groups: [{ name: 'many.dev', versions: [{ groupVersion: 'many.dev/v1', version: 'v1' }] }],
    },
    '/apis/many.dev/v1': { groupVersion: 'many.dev/v1', resources },
  };
  let lists = 0;
  const transport: Transport = {
    async request({ path }: KubeRequest) {
      const found = discovery[path];
      if (found) return { status: 200, headers: {}, body: found };
      lists++;
      return { status: 200, headers: {}, body: { kind: 'List', metadata: { resourceVersion: '1' }, items: [] } };
    },
    async *stream(_request, signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
  };
  const watch = new ResourceWatch({
    kube: new Kube(transport, { clock: new ManualClock() }),
    log: silentLog,
    graph: new OwnerGraph(),
    onObject: () => {},
    onGone: () => {},
  });
  const perTick: number[] = [];
  let isOver = false;
  const sample = () => {
    perTick.push(lists);
    lists = 0;
    if (!isOver) setImmediate(sample);
  };
  sample();
  await watch.start(new AbortController().signal);
  isOver = true;
  const begun = [...perTick, lists];
  expect(begun.reduce((sum, count) => sum + count)).toBe(500);
  expect(Math.max(...begun)).toBeLessThanOrEqual(20);
  await watch.stop();
});
