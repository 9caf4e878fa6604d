import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { comparedBy, readRecord, recordOf } from './comparison-record.js';
import type { Finding } from './play-scenario.js';
import type { Scenario } from './scenario.js';

const scenario = (id: string, code = 200): Scenario => ({
  id,
  rows: ['M1'],
  steps: [{ api: 'GET /', expect: { source: 'a page', code } }],
});
const finding = (id: string, outcome: Finding['outcome'], runner = 'kube'): Finding => ({
  scenario: id,
  rows: ['M1'],
  runner,
  outcome,
  notes: [],
});
const nowMs = Date.UTC(2026, 10, 22);
const run = (server: string, ...findings: Finding[]) =>
  recordOf({ server, rows: [], findings }, [scenario('a'), scenario('b'), scenario('c')], nowMs);

test('a record names what held for every runner of a server that is not ours', () => {
  const findings = [finding('a', 'held'), finding('b', 'held'), finding('b', 'differs', 'kubectl 1.33')];
  const record = run('v1.34.1', ...findings);
  expect(record).toMatchObject({ server: 'v1.34.1', on: '2026-11-22' });
  expect(Object.keys(record.held)).toEqual(['a']);
  expect(run('v1.34.0+slipway.1', ...findings).held).toEqual({});
});

test('a scenario that was changed since has to be compared again', () => {
  const record = run('v1.34.1', finding('a', 'held'), finding('b', 'held'));
  expect([...comparedBy([record], [scenario('a'), scenario('b', 404), scenario('c')])]).toEqual(['a']);
});

test.each([
  ['no JSON', '{'],
  ['something else', '[1]'],
  ['nothing', 'null'],
])('a file with %s is not a record', (_, text) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-record-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'record.json');
  writeFileSync(path, text);
  expect(() => readRecord(path)).toThrow(`${path} is not a record of a run`);
});
