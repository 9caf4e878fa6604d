import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@slipway/safe-yaml';
import { expect, test } from 'vitest';
import { pullsSettings, readPullsConfiguration } from './config/pulls-configuration.js';
import { PullLimiter } from './limiter/pull-limiter.js';
import { PullMetrics } from './metrics/pull-metrics.js';

const sources = fileURLToPath(new URL('./', import.meta.url));
const repository = join(sources, '../../..');
const page = readFileSync(join(repository, 'docs/reference/image-pulls.md'), 'utf8');

test('every setting on the page is one, and none is left out', () => {
  const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const shown = parseYaml(text) as Record<string, unknown>;
  expect(pullsSettings(readPullsConfiguration(shown))).toMatchObject({ limit: 4, front: 'images' });
  const code = readFileSync(join(sources, 'config/pulls-configuration.ts'), 'utf8');
  const read = [
    ...code.matchAll(
      /\.(?:text|texts|limit|limits|number|duration|positiveDuration|boolean|oneOf|socket|bytes|section|constant)\(\s*'(\w+)'/g,
    ),
  ];
  const all = new Set(Object.entries(shown).flatMap(([key, value]) => [key, ...keysOf(value)]));
  expect(read.length).toBeGreaterThan(30);
  expect(read.map(([, key = '']) => key).filter((key) => !all.has(key))).toEqual([]);
});

test('every metric on the page is one, and none is left out', () => {
  const metrics = new PullMetrics();
  const served = metrics.page(new PullLimiter({ limit: 1 }).state());
  const names = [...served.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  const shown = [...page.matchAll(/`(slipway_pulls_\w+)`/g)].map(([, name]) => name);
  expect([...shown].sort()).toEqual([...names].sort());
});

test('every sentence of the proposal has a test, and the test exists', () => {
  const rows = [...page.matchAll(/^\| ([^|]+) \| `([^`|]+\.test\.ts)` \| ([^|]+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(20);
  const missing = rows.filter(([, , file = '', title = '']) => {
    const path = file.startsWith('e2e/') ? join(repository, file) : join(sources, file);
    const text = readFileSync(path, 'utf8');
    return !text.includes(`'${title}'`);
  });
  expect(missing.map(([row]) => row)).toEqual([]);
});

function keysOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}
