import { expect, test } from 'vitest';
import type { Finding } from './play-scenario.js';
import { type Row, renderReport, rowReports, type Standing } from './report.js';
import type { Scenario } from './scenario.js';

const rows: readonly Row[] = [{ id: 'M1', level: 'MUST', behaviour: 'something' }];
const scenario = (id: string, compared?: string): Scenario => ({
  id,
  rows: ['M1'],
  steps: [{ api: 'GET /', expect: { source: 'a page', code: 200, ...(compared ? { compared } : {}) } }],
});
const finding = (id: string, outcome: Finding['outcome'], runner = 'kube'): Finding => ({
  scenario: id,
  rows: ['M1'],
  runner,
  outcome,
  notes: outcome === 'differs' ? ['GET /: code: expected 200, got 404'] : [],
});

// scenarios | findings | compared by a run | standing
const standings: [Scenario[], Finding[], string[], Standing][] = [
  [[scenario('a', 'recording')], [finding('a', 'held')], [], 'pass'],
  [[scenario('a')], [finding('a', 'held')], [], 'unverified'],
  [[scenario('a')], [finding('a', 'held')], ['a'], 'pass'],
  [[scenario('a', 'recording'), scenario('b')], [finding('a', 'held'), finding('b', 'held')], [], 'unverified'],
  [[scenario('a', 'recording')], [finding('a', 'held'), finding('a', 'differs', 'kubectl 1.33')], [], 'differs'],
  [[scenario('a', 'recording')], [finding('a', 'not supported')], [], 'not supported'],
  [[scenario('a', 'recording'), scenario('b')], [finding('a', 'held')], ['b'], 'not played'],
];

test.each(standings)('a row stands as its scenarios do (%#)', (scenarios, findings, compared, standing) => {
  expect(rowReports(rows, scenarios, findings, new Set(compared)).map((row) => row.standing)).toEqual([standing]);
});

test('the report names each row, what differed, and how many stand how', () => {
  const findings = [finding('a', 'differs')];
  const report = { server: 'v1.34.1', rows: rowReports(rows, [scenario('a')], findings, new Set()), findings };
  expect(renderReport(report)).toBe(
    [
      'ROW   LEVEL   PARITY    SCENARIOS   COMPARED   BEHAVIOUR',
      'M1    MUST    differs   1           0/1        something',
      '',
      'a (kube): GET /: code: expected 200, got 404',
      '',
      'v1.34.1: 1 differs',
      '',
    ].join('\n'),
  );
  expect(renderReport(report, true)).toContain('PLAYED BY');
});
