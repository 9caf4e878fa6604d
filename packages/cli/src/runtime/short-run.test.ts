import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shortRunFlags } from './short-run.js';

test('the engine that runs this knows the flags', () => {
  const { status, stderr } = spawnSync(process.execPath, [...shortRunFlags(process.versions.v8), '-e', '0'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test.each([
  ['11.3.244.8-node.38', 6],
  ['12.4.254.21-node.33', 5],
  ['13.6.233.10-node.28', 5],
  ['99.1', 0],
])('shortRunFlags(%s) has %i flags', (engine, count) => {
  expect(shortRunFlags(engine)).toHaveLength(count);
});
