import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { slipwayProgram } from '../support/slipway.js';

const namespaces = ['--pid', '--fork', '--mount-proc', '--kill-child'];

/** Starts a cluster on a data directory in a PID namespace of its own. */
function upInContainer(dataDir: string): ChildProcess {
  const words = [
    'up',
    '--nodes',
    '1',
    '--port',
    '0',
    '--data-dir',
    dataDir,
    '--kubeconfig',
    join(dataDir, 'kubeconfig'),
  ];
  const container = [...namespaces, '--', process.execPath, slipwayProgram, ...words];
  return spawn('unshare', container, { stdio: ['ignore', 'pipe', 'pipe'] });
}

test('two containers never have one data directory open, whatever lock file is removed', async (context) => {
  needs(context, 'PID namespaces');
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-containers-'));
  const first = upInContainer(dataDir);
  try {
    await once(first.stdout ?? first, 'data');
    for (const file of [undefined, 'LOCK', 'control.sock', 'store.mdb-lock']) {
      if (file) rmSync(join(dataDir, file), { force: true });
      const second = upInContainer(dataDir);
      let said = '';
      second.stderr?.on('data', (chunk) => {
        said += String(chunk);
      });
      const [status] = await once(second, 'close');
      // Whose it is, is known as long as its LOCK says so.
      expect([status, said]).toEqual([1, expect.stringMatching(/is already (in use by another process|running)/)]);
    }
    const over = once(first, 'close');
    first.kill('SIGKILL');
    await over;
    const third = upInContainer(dataDir);
    await once(third.stdout ?? third, 'data');
    const ended = once(third, 'close');
    third.kill('SIGKILL');
    await ended;
  } finally {
    first.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  }
});
