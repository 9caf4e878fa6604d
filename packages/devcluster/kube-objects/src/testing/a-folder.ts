import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder that is removed when its test has ended. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
