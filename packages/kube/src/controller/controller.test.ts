import { expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { silentLog } from '../log/logger.js';
import { ownerReference } from '../owners/owners.js';
import { inMemoryApi } from '../testing/in-memory-api.js';
import { ManualClock } from '../testing/manual-clock.js';
import { aWidget, Widgets } from '../testing/widgets.js';
import type { KubeObject, ObjectRef, ResourceRef } from '../transport/objects.js';
import type { ControllerOptions, Reconciler } from './controller.js';
import { Controller } from './controller.js';
import { Manager } from './manager.js';
import { TerminalError } from './terminal-error.js';

const Parts: ResourceRef = { group: '', version: 'v1', kind: 'Part', plural: 'parts', namespaced: true };
const aPart = (name: string, more: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Part',
  metadata: { name, namespace: 'default', ...more },
});

async function setUp(reconcile: Reconciler, more: Partial<ControllerOptions> = {}, clock = new ManualClock()) {
  const api = inMemoryApi({ clock });
  const kube = new Kube(api, { clock });
  const manager = new Manager({ kube, log: silentLog });
  const controller = new Controller({
    name: 'widgets',
    kube,
    informers: manager.informers,
    for: Widgets,
    reconcile,
    log: silentLog,
    ...more,
  });
  manager.add(controller);
  await manager.start();
  return { clock, api, kube, manager, controller, widgets: kube.resource(Widgets), parts: kube.resource(Parts) };
}

test('Controller looks at an object when it, what it owns or what it watches changed', async () => {
  const seen: ObjectRef[] = [];
  const { clock, widgets, parts, manager } = await setUp(async (ref) => void seen.push(ref), {
    owns: [Parts],
    watches: [{ of: Parts, map: (part) => (part.metadata.labels?.of ? [{ name: part.metadata.labels.of }] : []) }],
  });
  const owner = await widgets.create(aWidget('a'));
  await clock.advance(0);
  expect(seen.splice(0)).toEqual([{ name: 'a', namespace: 'default' }]);
  await parts.create(aPart('owned', { ownerReferences: [ownerReference(owner, { controller: true })] }));
  await parts.create(aPart('only-referred', { ownerReferences: [ownerReference(owner)] }));
  await clock.advance(0);
  expect(seen.splice(0)).toEqual([{ name: 'a', namespace: 'default' }]);
  await parts.create(aPart('watched', { labels: { of: 'x' } }));
  await clock.advance(0);
  await parts.merge({ name: 'watched', namespace: 'default' }, { metadata: { labels: { of: 'y' } } });
  await clock.advance(0);
  expect(seen).toEqual([{ name: 'x' }, { name: 'y' }, { name: 'x' }]);
  await manager.stop();
});

test('Controller tries again, later each time, until it succeeds; not after a TerminalError', async () => {
  const at: number[] = [];
  const { clock, widgets, controller, manager } = await setUp(async ({ name }, { now }) => {
    at.push(now() - Date.UTC(2026, 0, 1));
    if (name === 'terminal') throw new TerminalError('never');
    if (at.length < 4) throw new Error('not yet');
  });
  await widgets.create(aWidget('a'));
  await clock.advance(1000);
  expect(at).toEqual([0, 5, 15, 35]);
  await widgets.create(aWidget('terminal'));
  await clock.advance(120_000);
  expect(at).toHaveLength(5);
  expect(controller.counts()).toEqual({ reconciled: 5, failed: 4, givenUp: 1, waiting: 0 });
  await manager.stop();
});

test('Controller comes back when asked to, and every resyncMs', async () => {
  let runs = 0;
  const { clock, widgets, manager } = await setUp(
    async () => {
      runs++;
      return runs === 1 ? { requeueAfterMs: 500 } : undefined;
    },
    { resyncMs: 10_000 },
  );
  await widgets.create(aWidget('a'));
  await clock.advance(499);
  expect(runs).toBe(1);
  await clock.advance(1);
  expect(runs).toBe(2);
  await clock.advance(20_000);
  expect(runs).toBe(4);
  await manager.stop();
});

test('Controller.stop() aborts what runs, waits for it, and starts nothing more', async () => {
  const story: string[] = [];
  const { clock, widgets, controller, manager } = await setUp(
    ({ name }, { signal }) =>
      new Promise((_, reject) => {
        story.push(`start ${name}`);
        signal.addEventListener('abort', () => {
          story.push(`abort ${name}`);
          reject(signal.reason);
        });
      }),
  );
  await widgets.create(aWidget('a'));
  await widgets.create(aWidget('b'));
  await clock.advance(0);
  await controller.stop();
  await clock.advance(100_000);
  expect(story).toEqual(['start a', 'abort a']);
  expect(manager.ready()).toBe(false);
  await manager.stop();
});

test('Manager runs runnables, logs those that fail, and stops them within its limit', async () => {
  const clock = new ManualClock();
  const errors: string[] = [];
  const story: string[] = [];
  const log = { ...silentLog, error: (m: string) => void errors.push(m), warn: (m: string) => void errors.push(m) };
  const manager = new Manager({ kube: new Kube(inMemoryApi(), { clock }), log, stopWithinMs: 1000 });
  manager.add({ name: 'fails', start: () => Promise.reject(new Error('no')) });
  manager.add({
    name: 'lasts',
    start: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    stop: () => void story.push('stopped'),
  });
  manager.add({ name: 'hangs', start: () => {}, stop: () => new Promise<void>(() => {}) });
  expect(manager.ready()).toBe(false);
  await manager.start();
  expect(manager.ready()).toBe(true);
  const stopping = manager.stop();
  await clock.advance(1000);
  await stopping;
  expect(story).toEqual(['stopped']);
  expect(errors).toEqual(['fails failed', 'something did not stop in time']);
});

test('Controller lets an object rest as long as its reconciler asks for, whatever changes meanwhile', async () => {
  const at: number[] = [];
  const { clock, widgets, manager } = await setUp(async (_, { now }) => {
    at.push(now() - Date.UTC(2026, 0, 1));
    return { restMs: 200 };
  });
  await widgets.create(aWidget('a'));
  await clock.advance(50);
  await widgets.merge({ name: 'a', namespace: 'default' }, { metadata: { labels: { step: '1' } } });
  await clock.advance(50);
  await widgets.merge({ name: 'a', namespace: 'default' }, { metadata: { labels: { step: '2' } } });
  await clock.advance(1000);
  expect(at).toEqual([0, 200]);
  await manager.stop();
});

test.each([
  { by: 'a clock that passes', each: 3, fewest: 10, most: 30 },
  { by: 'one that only moves when told to', each: 0, fewest: 0, most: 5 },
])('Controller lets others have their turn between objects that need no response, by $by', async (turnsBy) => {
  const objects = 60;
  let [seen, turns, machineMs] = [0, 0, 0];
  let resolve = () => {};
  const all = new Promise<void>((done) => {
    resolve = done;
  });
  const { controller } = await setUp(
    async () => {
      machineMs += turnsBy.each;
      seen += 1;
      if (seen === objects) resolve();
    },
    {},
    Object.assign(new ManualClock(), { machineMs: () => machineMs }),
  );
  let turn = setImmediate(function next() {
    turns += 1;
    turn = setImmediate(next);
  });
  for (let number = 0; number < objects; number += 1) controller.enqueue({ name: `w${number}` });
  await all;
  clearImmediate(turn);
  expect(turns).toBeGreaterThanOrEqual(turnsBy.fewest);
  expect(turns).toBeLessThanOrEqual(turnsBy.most);
});
