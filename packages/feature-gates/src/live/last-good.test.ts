import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { aLiveProcess } from '../testing/a-live-process.js';
import { settled } from '../testing/step-clock.js';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function aFile(content?: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-live-'));
  folders.push(folder);
  const path = join(folder, 'features.json');
  if (content) writeFileSync(path, JSON.stringify(content));
  return path;
}

const saved = (value: boolean, clusterUid = 'uid-1', savedAt = '2025-12-20T00:00:00.000Z') => ({
  clusterUid,
  savedAt,
  values: { Live: { value, epoch: 3 } },
});

test('the values in effect are kept in a file of its owner only, in one step', async () => {
  const cacheFile = aFile();
  const { gate, options, publish } = aLiveProcess({ cacheFile });
  publish('Live', true);
  gate.startReporting(options);
  await vi.waitFor(() => readFileSync(cacheFile));
  expect(JSON.parse(readFileSync(cacheFile, 'utf8'))).toEqual({
    clusterUid: 'uid-1',
    savedAt: '2026-01-01T00:00:00.000Z',
    values: { Live: { value: true, epoch: 1 } },
  });
  expect(statSync(cacheFile).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(cacheFile, '..'))).toEqual(['features.json']);
});

test('without the API the values of the file are in effect from the first read on', async () => {
  const { gate, api, clock, options } = aLiveProcess({ cacheFile: aFile(saved(true)) });
  api.fault = () => new Error('ECONNREFUSED');
  gate.startReporting(options);
  expect(gate.enabled('Live')).toBe(true);
  await clock.advance(3_600_000);
  expect(gate.enabled('Live')).toBe(true);
});

test('a gate that was read before is handed over to the value of the file', async () => {
  const { gate, api, clock, options } = aLiveProcess({ cacheFile: aFile(saved(true)) });
  api.fault = () => new Error('ECONNREFUSED');
  const handler = vi.fn();
  gate.onChange('Live', handler);
  expect(gate.enabled('Live')).toBe(false);
  gate.startReporting(options);
  await clock.advance(1);
  expect(handler).toHaveBeenCalledExactlyOnceWith(false, true);
  expect(gate.enabled('Live')).toBe(true);
});

test('the API wins over the file, and what it does not mention stays', async () => {
  const cacheFile = aFile(saved(true));
  const { gate, clock, options, publish } = aLiveProcess({ cacheFile });
  gate.startReporting(options);
  expect(await gate.sync()).toBe(true);
  expect(gate.enabled('Live')).toBe(true);
  publish('Live', false);
  await clock.advance(1);
  await vi.waitFor(() => expect(gate.enabled('Live')).toBe(false));
  const kept = () => JSON.parse(readFileSync(cacheFile, 'utf8')).values.Live.value;
  await vi.waitFor(() => expect(kept()).toBe(false));
});

test('the file of another cluster is dropped as soon as that is known', async () => {
  const { gate, options } = aLiveProcess({ cacheFile: aFile(saved(true, 'uid-of-another')) });
  gate.startReporting(options);
  expect(gate.enabled('Live')).toBe(true);
  expect(await gate.sync()).toBe(true);
  expect(gate.enabled('Live')).toBe(false);
});

test.each<[string, object | string]>([
  ['30 days old', saved(true, 'uid-1', '2025-12-02T00:00:00.000Z')],
  ['from the far future', saved(true, 'uid-1', '2027-12-02T00:00:00.000Z')],
  ['without a date', { ...saved(true), savedAt: 'yesterday' }],
  ['without a cluster', { ...saved(true), clusterUid: 5 }],
  ['of another shape', { ...saved(true), values: [true] }],
  ['not JSON', '{"clusterUid":'],
])('a file that is %s does not count', (_what, content) => {
  const cacheFile = aFile();
  writeFileSync(cacheFile, typeof content === 'string' ? content : JSON.stringify(content));
  const { gate, api, options } = aLiveProcess({ cacheFile });
  api.fault = () => new Error('ECONNREFUSED');
  gate.startReporting(options);
  expect(gate.enabled('Live')).toBe(false);
});

test('a file is young as long as the API was heard of, and ages while it is away', async () => {
  const cacheFile = aFile();
  const { gate, api, clock, options, publish } = aLiveProcess({ cacheFile });
  const savedAt = () => JSON.parse(readFileSync(cacheFile, 'utf8')).savedAt;
  publish('Live', true);
  gate.startReporting(options);
  await vi.waitFor(savedAt);
  await clock.advance(24 * 3_600_000);
  await vi.waitFor(() => expect(savedAt()).toBe('2026-01-02T00:00:00.000Z'));
  api.fault = () => new Error('ECONNREFUSED');
  await clock.advance(72 * 3_600_000);
  expect(savedAt()).toBe('2026-01-02T00:00:00.000Z');
});

test('a file that cannot be written is a line in the log, no more', async () => {
  const { gate, clock, lines, options, publish } = aLiveProcess({ cacheFile: '/proc/nowhere/features.json' });
  publish('Live', true);
  gate.startReporting(options);
  expect(await gate.sync()).toBe(true);
  await clock.advance(1);
  expect(gate.enabled('Live')).toBe(true);
  expect(lines[0]).toContain('published feature values cannot be kept');
});

test('stop() ends following: no timer, no watch, no change is left', async () => {
  const cacheFile = aFile();
  const { gate, api, clock, options, publish } = aLiveProcess({ cacheFile });
  const reporting = gate.startReporting(options);
  publish('Live', true);
  await vi.waitFor(() => readFileSync(cacheFile));
  await clock.advance(10_000);
  await reporting.stop();
  await settled();
  expect([api.watches, clock.pending]).toEqual([0, 0]);
  publish('Live', false);
  await clock.advance(10_000);
  expect(gate.enabled('Live')).toBe(true);
});
