import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** The built package: Node runs it as a program of a user does. */
const index = new URL('../../dist/index.js', import.meta.url);

/** Runs `code` as an ES module in a process of its own and returns what it printed. Rejects unless it exits with 0. */
async function outputOf(code: string): Promise<string> {
  const program = `import { Kube, Manager, silentLog, systemClock } from ${JSON.stringify(index.href)};\n${code}`;
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd });
  return stdout;
}

/** A server without a socket, so that nothing but our timers can keep the process alive. */
const transport = `{
  request: async () => ({ status: 200, headers: {}, body: '{}' }),
  async *stream() { throw new Error('connection refused'); },
}`;

describe('a process', () => {
  it('stays alive while requests wait for the rate limit', async () => {
    const output = await outputOf(`
      const { transport } = new Kube(${transport}, { qps: 50, burst: 1 });
      const send = () => transport.request({ method: 'GET', path: '/version' });
      for (let sent = 0; sent < 5; sent++) await send();
      await Promise.all([send(), send()]);
      console.log('sent');
    `);
    expect(output).toBe('sent\n');
  });

  it('stays alive while a stream waits for the rate limit', async () => {
    const output = await outputOf(`
      const { transport } = new Kube(${transport}, { qps: 50, burst: 1 });
      await transport.request({ method: 'GET', path: '/version' });
      const frames = transport.stream({ method: 'GET', path: '/version' }, new AbortController().signal);
      for await (const frame of frames) console.log(frame);
    `).catch((error: { stderr: string }) => error.stderr);
    expect(output).toContain('connection refused');
  });

  it('stays alive until a manager gives up on a member that does not stop', async () => {
    const output = await outputOf(`
      const manager = new Manager({ kube: new Kube(${transport}), log: silentLog, stopWithinMs: 20 });
      manager.add({ name: 'deaf', start: () => new Promise(() => {}) });
      await manager.start();
      await manager.stop();
      console.log('stopped');
    `);
    expect(output).toBe('stopped\n');
  });

  it('ends when only background timers are left', async () => {
    expect(await outputOf(`systemClock.after(2 ** 40, () => {}); console.log('end');`)).toBe('end\n');
  });
});
