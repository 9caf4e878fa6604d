import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

test('the gate histories that ship are made from the recorded facts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-gates-'));
  try {
    const made = join(folder, 'gates.json');
    const facts = path('testdata/kubernetes-gates/kubernetes-features.json');
    execFileSync(process.execPath, [path('tools/kubernetes-gates.mjs'), facts, made]);
    const shipped = readFileSync(path('packages/features/src/releases/kubernetes-gates.json'), 'utf8');
    expect(readFileSync(made, 'utf8')).toBe(shipped);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
