import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@slipway/kube';
import { aFolder } from '@slipway/kube-objects/testing/a-folder';
import { expect, test } from 'vitest';
import { type DataDir, dataDirAt } from './data-paths.js';
import { holdSocket } from './socket-lock.js';

function aDataDir(below = ''): DataDir {
  const folder = aFolder();
  mkdirSync(join(folder, below), { recursive: true });
  return dataDirAt(join(folder, below));
}

test.each(['', 'deep/'.repeat(40)])(
  'holdSocket() lets one in, also when LOCK was removed, below "%s"',
  async (below) => {
    const dir = aDataDir(below);
    const release = await holdSocket(dir, systemClock);
    writeFileSync(dir.lock, '{}');
    rmSync(dir.lock);
    await expect(holdSocket(dir, systemClock)).rejects.toMatchObject({ reason: 'AlreadyRunning', exitCode: 1 });
    expect(readdirSync(dir.path)).toHaveLength(2);
    release();
    expect(readdirSync(dir.path)).toEqual([]);
    (await holdSocket(dir, systemClock))();
  },
);

test('holdSocket() takes over what nobody listens on, and of many at once one gets it', async () => {
  const dir = aDataDir();
  for (const name of ['in-use.00.sock', 'in-use.00.sock.held', 'in-use.ff.sock'])
    writeFileSync(join(dir.path, name), '');
  const taken = await Promise.allSettled(Array.from({ length: 8 }, () => holdSocket(dir, systemClock)));
  const held = taken.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  expect(held).toHaveLength(1);
  expect(readdirSync(dir.path)).toHaveLength(2);
  for (const release of held) release();
});
