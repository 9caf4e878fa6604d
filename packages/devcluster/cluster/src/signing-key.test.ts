import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signingKeyIn } from './signing-key.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-key-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('signingKeyIn() keeps its key, for its owner only', () => {
  const pki = join(folder, 'pki');
  const key = signingKeyIn(pki);
  expect(signingKeyIn(pki)).toBe(key);
  expect(statSync(join(pki, 'service-accounts.key')).mode & 0o077).toBe(0);
  expect(signingKeyIn(undefined)).not.toBe(key);
});

test('signingKeyIn() does not replace what it cannot read', () => {
  writeFileSync(join(folder, 'service-accounts.key'), 'not a key');
  expect(() => signingKeyIn(folder)).toThrow(/service-accounts\.key cannot be read as a private key/);
});
