import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { systemClock } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { aFolder } from '@slipway/kube-objects/testing/a-folder';
import { expect, test } from 'vitest';
import { lockHolder, recordHolder, refuseIfHeld } from './cluster-lock.js';
import { serveControl } from './control-socket.js';
import { dataDirAt } from './data-paths.js';
import { identityOf } from './process-identity.js';
import { holdSocket } from './socket-lock.js';

const nowMs = Date.UTC(2026, 10, 20);

const aDataDir = () => dataDirAt(aFolder());

test('recordHolder() names the process for as long as it holds the data directory', async () => {
  const dir = aDataDir();
  const releaseSocket = await holdSocket(dir, systemClock);
  const lock = recordHolder(dir, { name: 'dev', nowMs, socket: dir.socket });
  const since = '2026-11-20T00:00:00.000Z';
  expect(await lockHolder(dir)).toMatchObject({ pid: process.pid, since, socket: dir.socket });
  lock.release();
  expect([existsSync(dir.lock), await lockHolder(dir)]).toEqual([false, undefined]);
  releaseSocket();
});

// What the lock of a process that was killed may look like.
const finished = Number(execFileSync(process.execPath, ['-p', 'process.pid']).toString());
const own = identityOf(process.pid);
const stale: [string, string][] = [
  ['the process is gone', JSON.stringify({ ...own, pid: finished })],
  ['the process is killed and not gone yet', JSON.stringify(own)],
  ['its number is used by another process', JSON.stringify({ ...own, startTicks: '1' })],
  ['the machine was started again', JSON.stringify({ ...own, bootId: 'before' })],
  ['the file is empty', ''],
  ['the file is not ours', '[1, 2]'],
];
test.each(stale)('recordHolder() replaces a record when %s', async (_why, content) => {
  const dir = aDataDir();
  writeFileSync(dir.lock, content);
  expect(await lockHolder(dir)).toBeUndefined();
  const lock = recordHolder(dir, { name: 'dev', nowMs, socket: dir.socket });
  expect(JSON.parse(readFileSync(dir.lock, 'utf8')).pid).toBe(process.pid);
  lock.release();
});

/** Takes the socket of a data directory, says so and stays. */
const holding = `
  const socket = process.argv[1] + '/in-use.0123456789abcdef.sock';
  require('node:net').createServer().listen(socket, () => {
    require('node:fs').writeFileSync(socket + '.held', '');
    console.log('held');
  });`;

test('refuseIfHeld() lets a killed process be gone before it says that the cluster runs', async () => {
  const dir = aDataDir();
  const child = spawn(process.execPath, ['-e', holding, dir.path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const held = { ...identityOf(child.pid ?? 0), name: 'dev', since: 'now', socket: dir.socket };
  writeFileSync(dir.lock, JSON.stringify(held));
  const clock = new ManualClock();
  const refused = refuseIfHeld(dir, clock);
  await settled(refused, clock);
  await expect(refused).rejects.toMatchObject({ reason: 'AlreadyRunning' });

  const free = refuseIfHeld(dir, clock);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  await settled(free, clock);
  await free;
});

test('refuseIfHeld() asks no second time when the cluster answers', async () => {
  const dir = aDataDir();
  const releaseSocket = await holdSocket(dir, systemClock);
  const lock = recordHolder(dir, { name: 'dev', nowMs, socket: dir.socket });
  const control = await serveControl(dir.socket, async () => 'fine');
  await expect(refuseIfHeld(dir, new ManualClock())).rejects.toMatchObject({ reason: 'AlreadyRunning' });
  await control.close();
  lock.release();
  releaseSocket();
});

test('lockHolder() goes by the socket, not by a number that may be of another process', async () => {
  const dir = aDataDir();
  const elsewhere = { pid: finished, name: 'dev', since: 'now', socket: dir.socket };
  writeFileSync(dir.lock, JSON.stringify(elsewhere));
  const releaseSocket = await holdSocket(dir, systemClock);
  expect(await lockHolder(dir)).toEqual(elsewhere);
  releaseSocket();
  writeFileSync(dir.lock, JSON.stringify({ ...own, name: 'dev', since: 'now', socket: dir.socket }));
  expect(await lockHolder(dir)).toBeUndefined();
});

/** Steps time whenever somebody waits for it, until `done` settles. */
async function settled(done: Promise<unknown>, clock: ManualClock): Promise<void> {
  let over = false;
  const end = () => {
    over = true;
  };
  done.then(end, end);
  while (!over) await clock.advance(clock.nextTimerMs() ?? 0);
}

test('release() leaves the lock of another process alone', () => {
  const dir = aDataDir();
  const lock = recordHolder(dir, { name: 'dev', nowMs, socket: dir.socket });
  writeFileSync(dir.lock, 'taken over');
  lock.release();
  expect(readFileSync(dir.lock, 'utf8')).toBe('taken over');
});
