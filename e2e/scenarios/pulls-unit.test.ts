import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adminClient } from '@slipway/image-pulls';
import { criClient, eventually, type FakeRuntime, fakeRuntime } from '@slipway/image-pulls/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { needs } from '../../tools/real-parts.js';
import { confined } from '../support/confined.js';

const program = fileURLToPath(new URL('../../packages/cli/bin/slipway.js', import.meta.url));

describe('the service of slipway pulls install', () => {
  let folder: string;
  let unit: string;
  let runtime: FakeRuntime;
  const closing: (() => unknown)[] = [];

  beforeEach(async () => {
    folder = testFolder();
    mkdirSync(join(folder, 'var/lib/kubelet'), { recursive: true });
    writeFileSync(join(folder, 'var/lib/kubelet/config.yaml'), 'kind: KubeletConfiguration\n');
    execFileSync(process.execPath, [
      ...[program, 'pulls', 'install', '--root', folder, '--command', '/usr/local/bin/slipway', '--yes'],
    ]);
    unit = join(folder, 'etc/systemd/system/slipway-pulls.service');
    runtime = await fakeRuntime(join(folder, 'runtime.sock'));
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await runtime.kill();
  });

  test('has an exposure of at most 2.0, as systemd-analyze counts it', (context) => {
    needs(context, 'systemd-analyze');
    const flags = ['security', '--offline=true', '--no-pager', '--threshold=20', unit];
    const { status, stdout, stderr } = spawnSync('systemd-analyze', flags, { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/Overall exposure level for slipway-pulls.service: [01]\.\d/);
    expect(status).toBe(0);
  });

  test('serves, reloads, keeps its journal and ends inside these restrictions', async (context) => {
    needs(context, 'confinement');
    const config = join(folder, 'pulls.yaml');
    const path = join(folder, 'image.sock');
    const journal = join(folder, 'journal');
    const settings = (limit: number) =>
      `runtime: ${join(folder, 'runtime.sock')}\nlisten: ${path}\nlimit: ${limit}\nmetrics: localhost:0\njournal: {dir: ${journal}}\n`;
    writeFileSync(config, settings(1));
    const words = confined(readFileSync(unit, 'utf8'), folder, [
      process.execPath,
      program,
      'pulls',
      'serve',
      '--config',
      config,
    ]);
    const daemon = spawn(words[0] ?? '', words.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [daemon.stdout, daemon.stderr]) stream.on('data', (chunk) => (printed += String(chunk)));
    const ended = new Promise<number | null>((resolve) => daemon.once('close', (code) => resolve(code)));
    closing.push(() => {
      daemon.kill('SIGKILL');
      return ended;
    });
    await eventually('it listens', () => {
      if (daemon.exitCode !== null) throw new Error(printed);
      return printed.includes('Listening at');
    });
    const admin = adminClient(`${path}.admin`);
    await eventually('the runtime is up', async () => (await admin.state()).runtimeUp);
    const client = criClient(path);
    closing.push(() => client.close());
    const pull = client.pull('r.example/a:1', { auth: { username: 'ann', password: 'x' } });
    await eventually('it runs', () => runtime.pulls.length === 1);
    runtime.pulls[0]?.succeed();
    expect((await pull.result).code).toBe(0);
    await eventually('it is in the journal', () => readdirSync(journal).length > 0);
    writeFileSync(config, settings(7));
    daemon.kill('SIGHUP');
    await eventually('the new limit holds', async () => (await admin.state()).limit === 7);
    await admin.bypass(true);
    await admin.bypass(false);
    daemon.kill('SIGTERM');
    expect(await ended, printed).toBe(0);
    expect(printed).not.toMatch(/"error"|EPERM|EROFS/);
  });

  test.for([
    ['write outside its folders', 'echo x > /etc/slipway-test', 'Read-only file system'],
    ['mount', 'exec mount -t tmpfs none /mnt', 'permi'],
    ['become another user', 'exec setpriv --reuid=65534 true', 'Operation not permitted'],
    ['open a raw socket', 'exec /usr/bin/python3 -c "import socket; socket.socket(17, 3)"', 'Operation not permitted'],
  ])('could not %s', ([, script = '', problem], context) => {
    needs(context, 'confinement');
    const words = confined(readFileSync(unit, 'utf8'), folder, ['/bin/sh', '-c', script]);
    const { status, stderr } = spawnSync(words[0] ?? '', words.slice(1), { encoding: 'utf8' });
    expect(stderr).toContain(problem);
    expect(status).not.toBe(0);
  });
});
