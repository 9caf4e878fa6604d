import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import { parseAmounts } from '../planner/amounts.js';
import { qmpActuator } from './qmp-actuator.js';

const longEnough = () => AbortSignal.timeout(20_000);
const operation = {
  node: 'vm-1',
  operationID: 'op-1',
  from: parseAmounts({ memory: '256Mi' }),
  to: parseAmounts({ memory: '128Mi' }),
};
let folder: string;
const ends: (() => void)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-qmp-'));
});

afterEach(() => {
  for (const end of ends.splice(0)) end();
  rmSync(folder, { recursive: true, force: true });
});

const actuator = () => qmpActuator({ name: 'lab', socket: join(folder, '{node}.sock') });

describe('a real QEMU, paused', () => {
  beforeEach((context) => needs(context, 'QEMU'));

  async function machine(...devices: string[]): Promise<void> {
    const path = join(folder, 'vm-1.sock');
    const qemu: ChildProcess = spawn(
      'qemu-system-x86_64',
      [
        '-S',
        '-machine',
        'q35,accel=tcg',
        '-m',
        '256',
        '-display',
        'none',
        '-nodefaults',
        ...devices,
        '-qmp',
        `unix:${path},server=on,wait=off`,
      ],
      { stdio: 'ignore' },
    );
    const gone = new Promise((exit) => qemu.on('exit', exit));
    ends.push(() => qemu.kill('SIGKILL'));
    // The socket is there a moment before a server listens on it.
    while (qemu.exitCode === null && (await actuator().observe(operation, longEnough())).state === 'Unknown') {
      await Promise.race([gone, new Promise((again) => setTimeout(again, 20))]);
    }
  }

  test('says how much memory its guest has', async () => {
    await machine('-device', 'virtio-balloon-pci,deflate-on-oom=on');
    expect(await actuator().observe(operation, longEnough())).toEqual({
      state: 'Done',
      granted: { memory: 256n * 1024n * 1024n },
    });
  });

  test('takes the wish; a guest that does not run gives nothing back, and we say so', async () => {
    await machine('-device', 'virtio-balloon-pci,deflate-on-oom=on');
    expect(await actuator().ensure(operation, longEnough())).toMatchObject({
      state: 'InProgress',
      granted: { memory: 256n * 1024n * 1024n },
    });
  });

  test('is done at once when it has what is wished for', async () => {
    await machine('-device', 'virtio-balloon-pci');
    expect(await actuator().ensure({ ...operation, to: operation.from }, longEnough())).toMatchObject({
      state: 'Done',
    });
  });

  test('without a balloon device refuses, and the answer names QEMU’s reason', async () => {
    await machine();
    expect(await actuator().ensure(operation, longEnough())).toMatchObject({
      state: 'Failed',
      message: expect.stringContaining('DeviceNotActive'),
    });
  });
});

describe('a socket where no machine answers', () => {
  async function startServer(speaks: string | undefined): Promise<Server> {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      if (speaks === undefined) socket.destroy();
      else socket.end(speaks);
    });
    await new Promise<void>((listening) => server.listen(join(folder, 'vm-1.sock'), listening));
    ends.push(() => server.close());
    return server;
  }

  test('is unknown: nothing listens', async () => {
    expect(await actuator().observe(operation, longEnough())).toMatchObject({
      state: 'Unknown',
      message: expect.stringContaining('ENOENT'),
    });
  });

  test.each([
    ['hangs up', undefined, 'closed the connection'],
    ['greets differently', '{"hello": 1}\n', 'does not greet as a QEMU monitor does'],
    ['is not a monitor', 'SSH-2.0\r\n', 'JSON'],
  ])('is unknown: what listens %s', async (_, speaks, why) => {
    await startServer(speaks);
    const answer = await actuator().observe(operation, longEnough());
    expect(answer.state).toBe('Unknown');
    expect(answer.message).toContain(why);
  });
});
