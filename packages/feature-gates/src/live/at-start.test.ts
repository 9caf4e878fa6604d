import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createFeatureGate } from '../feature-gate.js';
import { FakeApi } from '../testing/fake-api.js';
import { StepClock } from '../testing/step-clock.js';
import type { FeatureUseSpec } from '../uses/feature-use.js';
import type { FeatureVectorSpec } from '../uses/feature-vector.js';

const group = '/apis/features.slipway.dev/v1alpha1/namespaces/kube-system';

/** An API that publishes one gate, and processes that start beside it. */
function aCluster() {
  const api = new FakeApi();
  api.objects.set('/api/v1/namespaces/kube-system', { metadata: { name: 'kube-system', uid: 'uid-1' } });
  const clock = new StepClock();
  let epoch = 0;
  const publish = (value: boolean, more: object = {}) =>
    api.put(`${group}/features/fast`, {
      spec: { gate: 'Fast' },
      status: { published: { value, epoch: ++epoch, ...more } },
    });
  /** Starts a process; `declare` says how its gate follows. */
  const start = (component: string, declare: 'declareAtStart' | 'declareLive', cacheFile?: string, typed = '') => {
    const gate = createFeatureGate({ component, version: '1.34', onWarning: () => {} });
    gate.add({ Fast: { stage: 'Beta', default: false } });
    gate[declare]('Fast');
    if (typed) gate.set(typed);
    const identity = { namespace: 'kube-system', instance: 'c1', dynamicFeatures: ['*'], cacheFile };
    const reporting = gate.startReporting({ ...identity, transport: api, clock, random: () => 0.5, log: () => {} });
    return { gate, reporting };
  };
  const reported = (component: string) => {
    const use = api.objects.get(`${group}/featureuses/${component}.c1`) as { spec: FeatureUseSpec };
    const vector = api.objects.get(`${group}/featurevectors/${use.spec.vector}`) as { spec: FeatureVectorSpec };
    return vector.spec.gates[0];
  };
  return { api, clock, publish, start, reported };
}

test('declareAtStart(): the value published at the start counts, and a later one waits for the next start', async () => {
  const { clock, publish, start, reported } = aCluster();
  publish(true);
  const { gate, reporting } = start('controller', 'declareAtStart');
  expect(await gate.sync()).toBe(true);
  expect(gate.enabled('Fast')).toBe(true);
  publish(false);
  await clock.advance(10_000);
  expect(gate.enabled('Fast')).toBe(true);
  expect(reported('controller')).toMatchObject({ enabled: true, follows: true, pendingRestart: true });
  await reporting.stop();
  const again = start('controller', 'declareAtStart');
  await again.gate.sync();
  await clock.advance(10_000);
  expect(again.gate.enabled('Fast')).toBe(false);
  expect(reported('controller')).not.toHaveProperty('pendingRestart');
});

test('declareAtStart(): a gate that was read before anything was heard keeps that value', async () => {
  const { clock, publish, start, reported } = aCluster();
  publish(true);
  const { gate } = start('controller', 'declareAtStart');
  expect(gate.enabled('Fast')).toBe(false);
  await clock.advance(10_000);
  expect(gate.enabled('Fast')).toBe(false);
  expect(reported('controller')).toMatchObject({ enabled: false, pendingRestart: true });
  publish(false);
  await clock.advance(10_000);
  expect(reported('controller')).not.toHaveProperty('pendingRestart');
});

test('sync() that gave up leaves the value to the next start', async () => {
  const { api, clock, publish, start } = aCluster();
  api.fault = () => new Error('ECONNREFUSED');
  const { gate } = start('controller', 'declareAtStart');
  const synced = gate.sync({ timeoutMs: 1_000 });
  await clock.advance(1_000);
  expect(await synced).toBe(false);
  api.fault = () => undefined;
  publish(true);
  await clock.advance(60_000);
  expect(gate.enabled('Fast')).toBe(false);
});

test('a value that waits for a start is kept for a start without the API', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-at-start-'));
  try {
    const cacheFile = join(folder, 'features.json');
    const { api, publish, start } = aCluster();
    publish(false);
    const { gate, reporting } = start('controller', 'declareAtStart', cacheFile);
    await gate.sync();
    publish(true);
    await vi.waitFor(() => expect(readFileSync(cacheFile, 'utf8')).toContain('"value":true'));
    await reporting.stop();
    api.fault = () => new Error('ECONNREFUSED');
    expect(start('controller', 'declareAtStart', cacheFile).gate.enabled('Fast')).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a centrally set feature: the authority runs its own flag, others take the value when they start', async () => {
  const { clock, publish, start, reported } = aCluster();
  publish(true, { authority: 'server' });
  const server = start('server', 'declareLive').gate;
  const controller = start('controller', 'declareLive').gate;
  await Promise.all([server.sync(), controller.sync()]);
  expect([server.enabled('Fast'), controller.enabled('Fast')]).toEqual([false, true]);
  publish(false, { authority: 'server' });
  await clock.advance(10_000);
  expect(controller.enabled('Fast')).toBe(true);
  expect(reported('controller')).toMatchObject({ pendingRestart: true });
  // The same value, set dynamically, is for processes that run.
  publish(false);
  await clock.advance(10_000);
  expect(controller.enabled('Fast')).toBe(false);
});

test.each(['declareAtStart', 'declareLive'] as const)(
  'a value that is withdrawn holds until a restart, and is not kept for one (%s)',
  async (declare) => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-withdrawn-'));
    try {
      const cacheFile = join(folder, 'features.json');
      const { api, clock, publish, start, reported } = aCluster();
      publish(true);
      const { gate, reporting } = start('controller', declare, cacheFile);
      await gate.sync();
      expect(gate.enabled('Fast')).toBe(true);
      await vi.waitFor(() => expect(readFileSync(cacheFile, 'utf8')).toContain('"value":true'));
      // A Feature that no server has seen withdraws nothing.
      const feature = { spec: { gate: 'Fast' } };
      api.put(`${group}/features/fast`, feature);
      await clock.advance(10_000);
      expect(reported('controller')).not.toHaveProperty('pendingRestart');
      api.put(`${group}/features/fast`, { ...feature, status: { observedGeneration: 2 } });
      await clock.advance(10_000);
      expect(gate.enabled('Fast')).toBe(true);
      expect(reported('controller')).toMatchObject({ enabled: true, pendingRestart: true });
      await vi.waitFor(() => expect(readFileSync(cacheFile, 'utf8')).not.toContain('"value":true'));
      await reporting.stop();
      const again = start('controller', declare, cacheFile).gate;
      await again.sync();
      expect(again.enabled('Fast')).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test('a value for the next start that is withdrawn asks no process to restart', async () => {
  const { api, clock, publish, start, reported } = aCluster();
  publish(false);
  const { gate } = start('controller', 'declareAtStart');
  await gate.sync();
  publish(true, { authority: 'server' });
  await clock.advance(10_000);
  expect(reported('controller')).toMatchObject({ pendingRestart: true });
  api.put(`${group}/features/fast`, { spec: { gate: 'Fast' }, status: { observedGeneration: 2 } });
  await clock.advance(10_000);
  expect(reported('controller')).not.toHaveProperty('pendingRestart');
});

test('a centrally set feature: an explicit flag of a component pins it', async () => {
  const { clock, publish, start, reported } = aCluster();
  publish(true, { authority: 'server' });
  const { gate } = start('controller', 'declareAtStart', undefined, 'Fast=false');
  await gate.sync();
  await clock.advance(10_000);
  expect(gate.enabled('Fast')).toBe(false);
  expect(reported('controller')).toEqual({
    name: 'Fast',
    enabled: false,
    default: false,
    stage: 'Beta',
    set: true,
    follows: true,
  });
});

test('a component that becomes the authority goes back to its own flag', async () => {
  const { clock, publish, start } = aCluster();
  publish(true);
  const { gate } = start('server', 'declareLive');
  await gate.sync();
  expect(gate.enabled('Fast')).toBe(true);
  publish(true, { authority: 'server' });
  await clock.advance(1_000);
  expect(gate.enabled('Fast')).toBe(false);
});

test('registerConfig() is reported, and excludes declareAtStart()', async () => {
  const { api, clock, reported } = aCluster();
  const gate = createFeatureGate({ component: 'sized', version: '1.34' });
  gate.add({ Fast: { stage: 'Beta', default: false } });
  gate.registerConfig('Fast', '--size-limit');
  expect(() => gate.declareAtStart('Fast')).toThrow('takes --size-limit, so only its own command line can set it');
  gate.startReporting({ namespace: 'kube-system', instance: 'c1', transport: api, clock, random: () => 0.5 });
  await clock.advance(10_000);
  expect(reported('sized')).toMatchObject({ config: '--size-limit' });
});

test('recall() puts the values of the last run into effect before the API can be asked, except where one was typed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-recall-'));
  try {
    const cacheFile = join(folder, 'features.json');
    const values = { Fast: { value: true, epoch: 3 } };
    writeFileSync(cacheFile, JSON.stringify({ clusterUid: 'uid-1', savedAt: new Date().toISOString(), values }));
    const recalled = (typed: string, dynamicFeatures: readonly string[]) => {
      const gate = createFeatureGate({ component: 'controller', version: '1.34' });
      gate.add({ Fast: { stage: 'Beta', default: false } });
      gate.declareAtStart('Fast');
      gate.set(typed);
      gate.recall({ cacheFile, dynamicFeatures });
      return gate.enabled('Fast');
    };
    expect([recalled('', ['*']), recalled('Fast=false', ['*']), recalled('', [])]).toEqual([true, false, false]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
