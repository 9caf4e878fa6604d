import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AdminClient, adminClient } from '@slipway/image-pulls';
import { criClient, eventually, type FakeRuntime, fakeRuntime } from '@slipway/image-pulls/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const entry = join(repository, 'packages/cli/dist/commands/pulls/serve-entry.js');
const program = `import { servePulls } from ${JSON.stringify(entry)}; process.exit(await servePulls(process.argv.slice(1)));`;

interface How {
  /** How many files it may have open. */
  readonly mostFiles?: number;
}

/** What systemd does: holds a socket, accepts nothing, and starts the service with it again and again. */
const socketHolder = `
  import { spawnSync } from 'node:child_process';
  import { createServer } from 'node:net';
  const [path, words] = process.argv.slice(1);
  const server = createServer();
  server.listen(path, () => {
    const args = ['--input-type=module', '-e', ${JSON.stringify(program)}, '--', ...JSON.parse(words)];
    const stdio = ['ignore', 'inherit', 'ignore', server._handle.fd];
    for (;;) spawnSync(process.execPath, args, { stdio, env: { ...process.env, LISTEN_FDS: '1' } });
  });
`;

interface Process {
  readonly admin: AdminClient;
  out(): string;
  err(): string;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
}

describe('slipway pulls serve', () => {
  let folder: string;
  let runtime: FakeRuntime;
  const closing: (() => unknown)[] = [];

  beforeEach(async () => {
    folder = testFolder();
    runtime = await fakeRuntime(join(folder, 'runtime.sock'));
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await runtime.kill();
  });

  function start(flags: readonly string[], nodeFlags: readonly string[] = [], how: How = {}): Process {
    const words = [process.execPath, ...nodeFlags, '--input-type=module', '-e', program, '--', ...flags];
    const limited = how.mostFiles === undefined ? '' : `ulimit -n ${how.mostFiles}; `;
    const child = spawn('sh', ['-c', `${limited}exec "$@"`, 'sh', ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout?.on('data', (chunk) => {
      out += String(chunk);
    });
    child.stderr?.on('data', (chunk) => {
      err += String(chunk);
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
    closing.push(() => {
      child.kill('SIGKILL');
      return ended;
    });
    const admin = adminClient(join(folder, 'image.sock.admin'));
    return { admin, out: () => out, err: () => err, signal: (name) => void child.kill(name), ended };
  }

  const paths = () => ['--runtime', `unix://${join(folder, 'runtime.sock')}`, '--listen', join(folder, 'image.sock')];

  async function ready(flags: readonly string[], nodeFlags: readonly string[] = [], how: How = {}): Promise<Process> {
    const running = start(flags, nodeFlags, how);
    await eventually('it listens', () => running.out().includes('Listening at'));
    return running;
  }

  test('loads nothing but image-pulls, feature-gates and safe-yaml', async () => {
    const list = join(folder, 'modules');
    const hook = `import { appendFileSync } from 'node:fs';
      export async function load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return await next(url, context); }`;
    const hooks = `data:text/javascript,${encodeURIComponent(hook)}`;
    const register = `import { register } from 'node:module'; register(${JSON.stringify(hooks)});`;
    await ready([...paths(), '--limit', '4'], ['--import', `data:text/javascript,${encodeURIComponent(register)}`]);
    const loaded = readFileSync(list, 'utf8')
      .split('\n')
      .filter((url) => url.startsWith('file:'));
    const allowed = /packages\/(image-pulls|feature-gates|safe-yaml)\/dist\/|commands\/pulls\/serve-(entry|flags)\.js$/;
    expect(loaded.length).toBeGreaterThan(5);
    expect(loaded.filter((url) => !allowed.test(url))).toEqual([]);
    expect(loaded.filter((url) => url.includes('node_modules'))).toEqual([]);
  });

  test.each([
    [['--limit', '-1'], 'limit'],
    [['--limit=2.5'], '--limit is "2.5", and can be 0 to 10000'],
    [['--limit=four'], '--limit is "four"'],
    [['--limit=10001'], '--limit is "10001"'],
    [['--on-full=explode'], 'wait or retry or fail'],
    [['--runtime=tcp://127.0.0.1:1'], 'is not a unix socket'],
    [['--what'], "Unknown option '--what'"],
    [['--listen', `/tmp/${'x'.repeat(200)}`], 'can have at most 107'],
    [['--listen', 'fd:3'], 'no socket is passed as fd:3'],
    [['--listen', 'fd:4'], 'write fd:3'],
    [['--limit', 'fromKubelet', '--kubelet-config', '/nowhere/config.yaml'], '/nowhere/config.yaml: ENOENT'],
    [['--config', '/nowhere/pulls.yaml'], '/nowhere/pulls.yaml: ENOENT'],
    [['--feature-gates', 'Nonsense=maybe'], 'Nonsense'],
  ])('%j is wrong usage', async (flags, message) => {
    const running = start([...paths(), ...flags]);
    expect(await running.ended).toBe(2);
    expect(running.err()).toContain(message);
    expect(running.err()).toMatch(/^slipway: .*\. To fix: .*\n$/);
  });

  test('a limit of the kubelet is followed, and one that is broken keeps the last good', async () => {
    const kubelet = join(folder, 'kubelet.yaml');
    const write = (text: string) => writeFileSync(kubelet, `kind: KubeletConfiguration\n${text}\n`);
    write('serializeImagePulls: false\nmaxParallelImagePulling: 3');
    const running = await ready([...paths(), '--limit', 'fromKubelet', '--kubelet-config', kubelet]);
    expect((await running.admin.state()).limit).toBe(3);
    write('serializeImagePulls: true\nmaxParallelImagePulls: 5');
    running.signal('SIGHUP');
    await eventually('it is refused', () => running.err().includes('not taken over'));
    expect(running.err()).toContain('maxParallelImagePulls above 1 needs serializeImagePulls false');
    expect((await running.admin.state()).limit).toBe(3);
    write('serializeImagePulls: false\nmaxParallelImagePulls: 5');
    await eventually('the new one holds without a signal', async () => (await running.admin.state()).limit === 5);
  });

  test('a configuration is read again, and a broken one keeps the old', async () => {
    const config = join(folder, 'pulls.yaml');
    writeFileSync(config, 'limit: 2\nonFull: {mode: fail}\n');
    const running = await ready([...paths(), '--config', config]);
    writeFileSync(config, 'limit: [\n');
    running.signal('SIGHUP');
    await eventually('it is refused', () => running.err().includes('not taken over'));
    writeFileSync(config, 'limits: 3\n');
    running.signal('SIGHUP');
    await eventually('it is refused too', () => running.err().includes('unknown key limits; is limit meant?'));
    expect((await running.admin.state()).limit).toBe(2);
    writeFileSync(config, 'limit: 7\nonFull: {mode: fail}\n');
    running.signal('SIGHUP');
    await eventually('it holds', async () => (await running.admin.state()).limit === 7);
  });

  test('a hundred broken configurations in a row change nothing', async () => {
    const config = join(folder, 'pulls.yaml');
    writeFileSync(config, 'limit: 2\n');
    const running = await ready([...paths(), '--config', config, '--metrics', join(folder, 'metrics.sock')]);
    const broken = ['limit: [\n', 'limit: -1\n', 'limits: 3\n', 'onFull: {interval: 0s}\n', 'runtime: tcp://x\n'];
    const refused = () => running.err().split('not taken over').length - 1;
    for (let round = 1; round <= 100; round += 1) {
      writeFileSync(config, broken[round % broken.length] ?? '');
      await running.admin.reload();
      await eventually(`refusal ${round}`, () => refused() >= round);
    }
    expect(running.err()).toContain(`${config}: line 1, column 8: limit is -1`);
    expect((await running.admin.state()).limit).toBe(2);
  });

  test.each([
    ['a file', (path: string) => writeFileSync(path, '')],
    ['a directory', (path: string) => void mkdirSync(path)],
    ['a symbolic link', (path: string) => symlinkSync(folder, path)],
    ['a symbolic link', (path: string) => symlinkSync('nowhere', path)],
  ])('%s at its socket, admin or metrics path is one line and exit 2', async (kind, make) => {
    const path = join(folder, 'occupied');
    make(path);
    for (const flag of ['--listen', '--admin', '--metrics']) {
      const running = start([...paths(), flag, path]);
      expect(await running.ended).toBe(2);
      expect(running.err()).toMatch(/^slipway: .*\n$/);
      expect(running.err()).toContain(`cannot listen at ${path}: it is ${kind}, not a socket`);
    }
  });

  test.each([
    ['--metrics=127.0.0.1', '"127.0.0.1" is not an address'],
    ['--metrics=127.0.0.1:70000', '"127.0.0.1:70000" is not an address'],
    ['--metrics=192.0.2.1:9427', 'cannot listen at 192.0.2.1:9427: this machine does not have that address'],
    ['--listen=/dev/null', 'it is a device, not a socket'],
    ['--metrics=/proc/image.sock', 'cannot listen at /proc/image.sock: permission denied'],
    ['--listen=/nowhere/image.sock', 'cannot listen at /nowhere/image.sock: /nowhere does not exist'],
    ['--listen=/dev/null/image.sock', 'cannot listen at /dev/null/image.sock: /dev/null is not a directory'],
  ])('%s is one line and exit 2', async (flag, message) => {
    const running = start([...paths(), flag]);
    expect(await running.ended).toBe(2);
    expect(running.err()).toMatch(/^slipway: .*\n$/);
    expect(running.err()).toContain(message);
  });

  test.each([
    ['nothing', 'does not exist', (_: string) => {}],
    ['a directory', 'is a directory, not a socket', (path: string) => void mkdirSync(path)],
    ['a file', 'is a file, not a socket', (path: string) => writeFileSync(path, '')],
  ])('%s where the runtime should be is a warning', async (_, problem, make) => {
    const path = join(folder, 'no-runtime');
    make(path);
    const running = await ready([...paths(), '--runtime', path]);
    await eventually('it is said', () => running.err().includes(`"warning":"${path} ${problem}`));
  });

  test('a socket that systemd holds outlives the daemon: who calls in between waits', async () => {
    const path = join(folder, 'held.sock');
    const flags = ['--runtime', `unix://${join(folder, 'runtime.sock')}`, '--listen', 'fd:3', '--limit', '1'];
    const words = JSON.stringify([...flags, '--admin', join(folder, 'image.sock.admin')]);
    const systemd = spawn(process.execPath, ['--input-type=module', '-e', socketHolder, '--', path, words]);
    let out = '';
    systemd.stdout.on('data', (chunk) => {
      out += String(chunk);
    });
    const service = () => {
      const [, pid] = /^(\d+) /.exec(readFileSync(`/proc/${systemd.pid}/task/${systemd.pid}/children`, 'utf8')) ?? [];
      if (pid === undefined) throw new Error('no service runs');
      return Number(pid);
    };
    closing.push(() => {
      const last = service();
      systemd.kill('SIGKILL');
      process.kill(last, 'SIGKILL');
    });
    const starts = () => out.split('Listening at').length - 1;
    const status = async () => {
      const client = criClient(path);
      const { code } = await client.call('/runtime.v1.ImageService/ImageFsInfo', Buffer.alloc(0)).result;
      client.close();
      return code;
    };
    await eventually('it listens', () => starts() === 1);
    expect(await status()).toBe(0);
    process.kill(service(), 'SIGKILL');
    expect(await status()).toBe(0);
    expect(starts()).toBe(2);
  });

  test('a runtime that is not there yet: it listens, is not ready, and pulls wait', async () => {
    await runtime.kill();
    const running = await ready([...paths(), '--limit', '1']);
    expect((await running.admin.state()).runtimeUp).toBe(false);
    const client = criClient(join(folder, 'image.sock'));
    closing.push(() => client.close());
    expect((await client.call('/runtime.v1.ImageService/ImageFsInfo', Buffer.alloc(0)).result).code).toBe(14);
    const call = client.pull('a');
    await eventually('it waits', async () => (await running.admin.state()).waiting.length === 1);
    await runtime.listen();
    await eventually('it runs', () => runtime.pulls.length === 1);
    runtime.pulls[0]?.succeed();
    expect((await call.result).code).toBe(0);
  });

  test('too many open files: who is connected is served, and it is said', async () => {
    const running = await ready([...paths(), '--limit', '1'], [], { mostFiles: 100 });
    await eventually('the runtime is up', async () => (await running.admin.state()).runtimeUp);
    const client = criClient(join(folder, 'image.sock'));
    closing.push(() => client.close());
    const status = async () => (await client.call('/runtime.v1.ImageService/ImageFsInfo', Buffer.alloc(0)).result).code;
    expect(await status()).toBe(0);
    const others = Array.from({ length: 60 }, () => connect(join(folder, 'image.sock')).on('error', () => {}));
    await eventually('it is said', () => running.err().includes('a connection was not accepted'));
    expect(await status()).toBe(0);
    for (const other of others) other.destroy();
    await eventually('there is room again', async () =>
      running.admin.state().then(
        () => true,
        () => false,
      ),
    );
  });

  test('a folder in which others could put their socket is refused', async () => {
    const open = join(folder, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    const running = start([...paths(), '--listen', join(open, 'image.sock')]);
    expect(await running.ended).toBe(2);
    expect(running.err()).toContain(`image.sock: ${open} can be written by others than its owner`);
  });

  test('stall.do that this runtime cannot have is said', async () => {
    const config = join(folder, 'pulls.yaml');
    writeFileSync(config, 'limit: 2\nstall: {do: cancel}\n');
    const running = await ready([...paths(), '--config', config]);
    await eventually('it is said', () => running.err().includes('this runtime does not show the bytes of its pulls'));
  });

  test('what holds only from the next start on is said when it is changed', async () => {
    const config = join(folder, 'pulls.yaml');
    writeFileSync(config, 'limit: 2\n');
    const running = await ready([...paths(), '--config', config]);
    writeFileSync(config, 'limit: 3\nservices: cri\n');
    running.signal('SIGHUP');
    await eventually('it is said', () => running.err().includes('"fromNextStart":["services"]'));
    expect((await running.admin.state()).limit).toBe(3);
  });

  test('ParallelImagePullLimit=false turns the limit off', async () => {
    const running = await ready([...paths(), '--limit', '1', '--feature-gates', 'ParallelImagePullLimit=false']);
    expect((await running.admin.state()).limit).toBe(0);
  });

  test('metrics and health are served where asked', async () => {
    await ready([...paths(), '--limit', '4', '--metrics', join(folder, 'metrics.sock')]);
    const { request } = await import('node:http');
    const get = (path: string) =>
      new Promise<string>((resolve, reject) => {
        request({ socketPath: join(folder, 'metrics.sock'), path }, (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += String(chunk);
          });
          response.on('end', () => resolve(text));
        })
          .once('error', reject)
          .end();
      });
    expect(await get('/metrics')).toContain('slipway_pulls_limit 4');
    await eventually('it is ready', async () => (await get('/readyz')) === 'ok\n');
    expect(await get('/state')).toContain('not found');
  });

  test('a socket in use is left alone', async () => {
    await ready(paths());
    const second = start(paths());
    expect(await second.ended).toBe(2);
    expect(second.err()).toContain('another process listens at');
  });

  test('hand-over under load: no call fails, no slot is lost or given twice, and the old one ends', async () => {
    const old = await ready([...paths(), '--limit', '2']);
    await eventually('the runtime is up', async () => (await old.admin.state()).runtimeUp);
    const client = criClient(join(folder, 'image.sock'));
    closing.push(() => client.close());
    const images = ['a', 'b', 'c', 'd', 'e'];
    const pulls = images.map((image) => client.pull(image));
    await eventually('two run and three wait', async () => (await old.admin.state()).waiting.length === 3);

    let going = true;
    const codes = new Set<number>();
    const load = Array.from({ length: 8 }, async () => {
      while (going) {
        codes.add((await client.call('/runtime.v1.ImageService/ImageFsInfo', Buffer.alloc(0)).result).code);
      }
    });
    const next = await ready([...paths(), '--limit', '2', '--take-over']);
    const later = client.pull('f');
    await eventually('the new one knows all', async () => {
      const { adopted, waiting } = await next.admin.state();
      return adopted === 2 && waiting.map(({ image }) => image).join('') === 'cdef';
    });
    expect(runtime.pulls.map(({ image }) => image)).toEqual(['a', 'b']);
    for (let at = 0; at < 6; at += 1) {
      await eventually(`pull ${at} and the next run`, () => runtime.pulls.length === Math.min(6, at + 2));
      expect(runtime.pulls.filter(({ answered }) => !answered).length).toBeLessThanOrEqual(2);
      runtime.pulls[at]?.succeed();
    }
    expect(runtime.pulls.map(({ image }) => image)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(await Promise.all([...pulls, later].map(async ({ result }) => (await result).code))).toEqual([
      0, 0, 0, 0, 0, 0,
    ]);
    going = false;
    await Promise.all(load);
    expect(codes).toEqual(new Set([0]));
    expect(await old.ended).toBe(0);
    expect(await next.admin.state()).toMatchObject({ counted: 0, adopted: 0, waiting: [] });
  });

  test('a hand-over to a daemon that dies leaves what waits where it is, and the old one serves on', async () => {
    const old = await ready([...paths(), '--limit', '1']);
    await eventually('the runtime is up', async () => (await old.admin.state()).runtimeUp);
    const client = criClient(join(folder, 'image.sock'));
    closing.push(() => client.close());
    const pulls = ['a', 'b'].map((image) => client.pull(image));
    await eventually('one waits', async () => (await old.admin.state()).waiting.length === 1);
    const next = await ready([...paths(), '--limit', '1', '--take-over']);
    await eventually('the new one knows it', async () => (await next.admin.state()).waiting.length === 1);
    next.signal('SIGKILL');
    await next.ended;
    runtime.pulls[0]?.succeed();
    await eventually('the second runs', () => runtime.pulls.length === 2);
    runtime.pulls[1]?.succeed();
    expect(await Promise.all(pulls.map(async ({ result }) => (await result).code))).toEqual([0, 0]);
    await eventually('it is served again', async () => {
      const { result } = client.call('/runtime.v1.ImageService/ImageFsInfo', Buffer.alloc(0));
      return (await result).code === 0;
    });
    old.signal('SIGTERM');
    expect(await old.ended).toBe(0);
  });

  test('log lines are JSON, tell waiting and pulling apart, and hold no credential', async () => {
    const running = await ready([...paths(), '--limit', '1']);
    await eventually('the runtime is up', async () => (await running.admin.state()).runtimeUp);
    const client = criClient(join(folder, 'image.sock'));
    closing.push(() => client.close());
    const call = client.pull('a\u001b[2J', { auth: { username: 'ann', password: 'hush-hush' } });
    await eventually('it runs', () => runtime.pulls.length === 1);
    runtime.pulls[0]?.succeed();
    await call.result;
    await eventually('it is logged', () => running.err().includes('pull ended'));
    const lines = running
      .err()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.find(({ msg }) => msg === 'pull ended')).toMatchObject({
      outcome: 'ok',
      waitedMs: expect.any(Number),
      pulledMs: expect.any(Number),
      callers: 1,
      limit: 1,
    });
    expect(running.err()).not.toContain('hush-hush');
    expect(running.err()).not.toContain('\u001b');
  });
});
