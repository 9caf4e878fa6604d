import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFeatureGate } from '../feature-gate.js';
import type { StartReportingOptions } from '../feature-gate-options.js';
import { aLiveProcess, group } from '../testing/a-live-process.js';

test('a live gate follows the value its Feature publishes, and the report follows the gate', async () => {
  const { gate, clock, options, publish, reported } = aLiveProcess();
  publish('Live', true);
  gate.startReporting(options);
  expect(gate.enabled('Live')).toBe(false);
  expect(await gate.sync()).toBe(true);
  expect(gate.enabled('Live')).toBe(true);
  await clock.advance(6_000);
  expect(reported('Live')).toEqual({ name: 'Live', enabled: true, default: false, stage: 'Beta', follows: true });
  publish('Live', false);
  await clock.advance(2_000);
  expect(gate.enabled('Live')).toBe(false);
  expect(reported('Live')?.enabled).toBe(false);
});

test('says when it hears nothing of published values, and when it does again', async () => {
  const { gate, api, clock, options, publish } = aLiveProcess();
  const heard: boolean[] = [];
  gate.onFreshness((stale) => heard.push(!stale));
  publish('Live', true);
  api.fault = () => new Error('connection refused');
  gate.startReporting(options);
  await clock.advance(1_000);
  expect(gate.stale).toBe(true);
  api.fault = () => undefined;
  await clock.advance(120_000);
  expect(heard).toEqual([false, true]);
  expect(gate.enabled('Live')).toBe(true);
});

test.each<[string, Partial<StartReportingOptions>]>([
  ['is not allowed', { dynamicFeatures: ['Other*', 'live'] }],
  ['is not asked about', { dynamicFeatures: undefined }],
])('a gate keeps its value when it %s', async (_why, overrides) => {
  const { gate, clock, options, publish } = aLiveProcess(overrides);
  publish('Live', true);
  gate.startReporting(options);
  await clock.advance(10_000);
  expect(gate.enabled('Live')).toBe(false);
});

test('a gate keeps its value when it was typed, or is published with rules that this version does not know', async () => {
  const { gate, clock, options, publish } = aLiveProcess();
  gate.set('Live=false');
  publish('Live', true);
  publish('Needs', true, { rules: [{ zone: 'a', value: false }] });
  gate.startReporting(options);
  await clock.advance(10_000);
  expect([gate.enabled('Live'), gate.enabled('Needs')]).toEqual([false, false]);
});

test('a gate that is not declared live keeps its value', async () => {
  const { gate, clock, options, publish } = aLiveProcess();
  publish('Dead', true);
  gate.startReporting(options);
  await clock.advance(10_000);
  expect(gate.enabled('Dead')).toBe(false);
});

test('a published value is between a typed one and a swept one', async () => {
  const { gate, clock, options, publish } = aLiveProcess();
  gate.set('AllBeta=true');
  publish('Live', false);
  publish('Needs', false);
  gate.startReporting(options);
  await clock.advance(1_000);
  expect(gate.enabled('Live')).toBe(false);
  gate.set('Live=true');
  expect(gate.enabled('Live')).toBe(true);
  gate.resetToDefault('Live');
  expect(gate.enabled('Live')).toBe(false);
});

test('the last published value holds when the Feature, the value or the API goes away', async () => {
  const { gate, api, clock, options, publish } = aLiveProcess();
  publish('Live', true);
  gate.startReporting(options);
  await clock.advance(1_000);
  api.put(`${group}/features/live`, { spec: { gate: 'Live' }, status: { published: null } });
  await clock.advance(1_000);
  api.remove(`${group}/features/live`);
  await clock.advance(1_000);
  expect(gate.enabled('Live')).toBe(true);
  api.fault = () => new Error('ECONNREFUSED');
  api.endWatches(new Error('ECONNRESET'));
  await clock.advance(3_600_000);
  expect(gate.enabled('Live')).toBe(true);
});

test('a published value that the version forbids is not taken, and the report says so', async () => {
  const { gate, clock, options, publish, use, reported } = aLiveProcess();
  publish('Fixed', false);
  gate.startReporting(options);
  await clock.advance(10_000);
  expect(gate.enabled('Fixed')).toBe(true);
  const message = 'cannot set feature gate Fixed to false, feature is locked to true';
  expect(use().applyErrors).toEqual([{ gate: 'Fixed', message }]);
  expect(reported('Fixed')).toMatchObject({ enabled: true, refused: true });
});

test('a change waits for the gates it depends on, in both directions', async () => {
  const { gate, clock, options, publish, use } = aLiveProcess();
  publish('Needs', true);
  gate.startReporting(options);
  await clock.advance(10_000);
  expect(gate.enabled('Needs')).toBe(false);
  expect(use().applyErrors?.[0]?.message).toContain('Needs is enabled, but depends on');
  publish('Live', true);
  await clock.advance(2_000);
  expect([gate.enabled('Live'), gate.enabled('Needs')]).toEqual([true, true]);
  expect(use().applyErrors).toBeUndefined();
  publish('Live', false);
  await clock.advance(2_000);
  expect(gate.enabled('Live')).toBe(true);
  publish('Needs', false);
  await clock.advance(2_000);
  expect([gate.enabled('Live'), gate.enabled('Needs')]).toEqual([false, false]);
});

test('onChange() holds the new value back until every handler resolved', async () => {
  const { gate, clock, options, publish, reported } = aLiveProcess();
  let finish = () => {};
  const calls: [boolean, boolean][] = [];
  gate.onChange('Live', async (from, to) => {
    calls.push([from, to]);
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
  });
  gate.startReporting(options);
  await clock.advance(6_000);
  publish('Live', true);
  await clock.advance(60_000);
  expect(gate.enabled('Live')).toBe(false);
  expect(reported('Live')?.enabled).toBe(false);
  finish();
  await clock.advance(2_000);
  expect(gate.enabled('Live')).toBe(true);
  expect(reported('Live')?.enabled).toBe(true);
  expect(calls).toEqual([[false, true]]);
});

test('a handler that rejects keeps the old value, is asked again later, and the others are taken back', async () => {
  const { gate, clock, options, publish, use, lines } = aLiveProcess();
  let mood = 'busy';
  const calls: string[] = [];
  gate.onChange('Live', (from, to) => void calls.push(`first ${from}->${to}`));
  gate.onChange('Live', () => {
    if (mood === 'busy') throw new Error('still draining');
  });
  gate.startReporting(options);
  publish('Live', true);
  await clock.advance(10_000);
  expect(gate.enabled('Live')).toBe(false);
  expect(calls.slice(0, 2)).toEqual(['first false->true', 'first true->false']);
  expect(use().applyErrors).toEqual([{ gate: 'Live', message: 'still draining' }]);
  expect(lines).toEqual(['feature gate Live stays as it is, its change was refused: still draining']);
  mood = 'ready';
  await clock.advance(300_000);
  expect(gate.enabled('Live')).toBe(true);
  expect(use().applyErrors).toBeUndefined();
});

test('a gate that changed live is not mixed, however often it was read', async () => {
  const { gate, clock, options, publish, reported } = aLiveProcess();
  gate.startReporting(options);
  gate.enabled('Live');
  publish('Live', true);
  await clock.advance(10_000);
  gate.enabled('Live');
  expect(reported('Live')).not.toHaveProperty('mixed');
});

test.each([undefined, '', 7])('registerConfig() throws for %j, which is not a flag', (flag) => {
  const { gate } = aLiveProcess();
  expect(() => gate.registerConfig('Dead', flag as unknown as string)).toThrow('must be a non-empty string');
});

test('registerConfig() and declareLive() exclude each other', () => {
  const { gate } = aLiveProcess();
  const error = 'feature "Live" takes --limit, so only its own command line can set it';
  expect(() => gate.registerConfig('Live', '--limit')).toThrow(error);
  gate.registerConfig('Dead', '--limit');
  expect(() => gate.declareLive('Dead')).toThrow(error.replace('Live', 'Dead'));
  expect(() => gate.onChange('Dead', () => {})).toThrow('not declared live');
  expect(() => gate.declareLive('Ghost')).toThrow('not registered');
});

test('gates are declared live before reporting starts, and reporting starts once', () => {
  const { gate, options } = aLiveProcess();
  gate.startReporting(options);
  expect(() => gate.declareLive('Dead')).toThrow('before reporting starts');
  expect(() => gate.startReporting(options)).toThrow('already');
});

test('sync() gives up after its time, and following goes on', async () => {
  const { gate, api, clock, options, publish } = aLiveProcess();
  api.fault = () => new Error('ECONNREFUSED');
  gate.startReporting(options);
  const synced = gate.sync({ timeoutMs: 3_000 });
  await clock.advance(3_000);
  expect(await synced).toBe(false);
  api.fault = () => undefined;
  publish('Live', true);
  await clock.advance(10_000);
  expect(gate.enabled('Live')).toBe(true);
  expect(await gate.sync()).toBe(true);
});

test('sync() has nothing to wait for without live gates', async () => {
  expect(await createFeatureGate({ component: 'c', version: '1.0' }).sync()).toBe(true);
});

test('any story: once all is calm the gate runs what was published last, and handlers saw every step', async () => {
  const words = fc.array(
    fc.tuple(fc.constantFrom('on', 'off', 'gone', 'break', 'away', 'back', 'moody', 'calm'), fc.nat(20_000)),
    {
      maxLength: 20,
    },
  );
  const story = async (happenings: [string, number][]) => {
    const { gate, api, clock, options, publish } = aLiveProcess();
    let published = false;
    let believed = false;
    let moody = false;
    gate.onChange('Live', (from, to) => {
      expect(from).toBe(believed);
      if (moody) throw new Error('not now');
      believed = to;
    });
    const reporting = gate.startReporting(options);
    const act = (what: string) => {
      if (what === 'on' || what === 'off') {
        published = what === 'on';
        publish('Live', published);
      }
      if (what === 'gone') api.remove(`${group}/features/live`);
      if (what === 'break') api.endWatches(new Error('ECONNRESET'));
      if (what === 'away') api.fault = () => new Error('ECONNREFUSED');
      if (what === 'back') api.fault = () => undefined;
      if (what === 'moody' || what === 'calm') moody = what === 'moody';
    };
    for (const [what, laterMs] of happenings) {
      act(what);
      await clock.advance(laterMs);
      expect(gate.enabled('Live')).toBe(believed);
    }
    api.fault = () => undefined;
    moody = false;
    publish('Live', published);
    await clock.advance(3_600_000);
    expect(gate.enabled('Live')).toBe(published);
    await reporting.stop();
    await clock.advance(30_000);
    expect(clock.pending).toBe(0);
  };
  await fc.assert(fc.asyncProperty(words, story), { numRuns: 60 });
}, 20_000);
