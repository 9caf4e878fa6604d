import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { needs, type PartName } from '../../tools/real-parts.js';
import { slipway } from '../support/slipway.js';

const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'slipway-report-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly case: string;
  readonly result: 'Passed' | 'Failed' | 'NotSupported';
  readonly detail?: string;
}

async function check(...command: readonly string[]): Promise<{ code: number | null; rows: readonly Row[] }> {
  const { code, stdout } = await slipway(['feature', 'report-check', '-o', 'json', '--', ...command], {
    timeoutMs: 115_000,
  });
  return { code, rows: JSON.parse(stdout) };
}

function builtWithGo(): string {
  const program = join(folder, 'acme-agent');
  const env = { ...process.env, CGO_ENABLED: '0', GO111MODULE: 'off' };
  execFileSync('go', ['build', '-o', program, path('examples/reporting-protocol/go/main.go')], { env });
  return program;
}

// program | what it needs | its command | cases it does not take part in
const programs: [string, PartName | undefined, () => readonly string[], readonly string[]][] = [
  ['our own library', undefined, () => [process.execPath, path('e2e/support/report-gates.mjs')], []],
  ['the example in Python', 'Python', () => ['python3', path('examples/reporting-protocol/python/report.py')], []],
  ['the example in Go', 'Go', () => [builtWithGo()], ['live-value']],
];

describe.concurrent('slipway feature report-check', () => {
  test.for(programs)(
    '%s follows every rule of the reporting protocol',
    async ([, part, command, unsupported], context) => {
      if (part) needs(context, part);
      const { code, rows } = await check(...command());
      expect(rows.filter(({ result }) => result === 'Failed')).toEqual([]);
      expect(rows.filter(({ result }) => result === 'NotSupported').map((row) => row.case)).toEqual(unsupported);
      expect(code).toBe(0);
    },
  );

  test('a program that breaks rules is told which, and one that never reports what it printed', async () => {
    const careless = join(folder, 'careless.mjs');
    writeFileSync(careless, 'console.error("no API here"); setInterval(() => {}, 1000);');
    const { code, stdout, stderr } = await slipway([
      'feature',
      'report-check',
      '--case',
      'stop',
      '--',
      process.execPath,
      careless,
    ]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^Failed +stop .*\n +no FeatureUse of instance check-1 within 10 s\. It printed: no API here$/m,
    );
    expect(stderr).toBe(
      'slipway: 1 of 1 cases failed\nTo fix: docs/reference/reporting-protocol.md states each rule\n',
    );
  });

  test('an unknown case and a missing program are wrong usage', async () => {
    expect((await slipway(['feature', 'report-check', '--case', 'nope', '--', 'x'])).code).toBe(2);
    expect((await slipway(['feature', 'report-check'])).code).toBe(2);
  });
});
