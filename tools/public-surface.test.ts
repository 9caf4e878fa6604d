import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { publicSurface } from './public-surface.js';

const recorded = new URL('../testdata/public-surface/surface.txt', import.meta.url);

test('the public surface is the recorded one', async () => {
  const surface = await publicSurface();
  expect(surface.length).toBeGreaterThan(1_000);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(recorded, `${surface.join('\n')}\n`);
  const before = readFileSync(recorded, 'utf8').trimEnd().split('\n');
  const gone = before.filter((line) => !surface.includes(line));
  const added = surface.filter((line) => !before.includes(line));
  // Run with UPDATE_GOLDEN=1 once docs/reference/stability.md allows the change; CHANGELOG.md names what is gone.
  expect({ gone, added }).toEqual({ gone: [], added: [] });
}, 60_000);
