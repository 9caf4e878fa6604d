import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { freePort } from '../support/free-port.js';
import { eventually, repository, run, slipway } from '../support/slipway.js';

let folder: string;
let assets: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-assets-'));
  assets = join(folder, 'assets');
  expect(await slipway(['dev', 'assets', assets])).toMatchObject({ code: 0 });
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('a suite of controller-runtime runs unchanged on the programs of dev assets', async (context) => {
  needs(context, 'controller-runtime');
  needs(context, 'kubectl');
  const outcome = await run('go', ['test', '-count=1', '-v', '.'], {
    cwd: join(repository, 'e2e/support/envtest'),
    env: { KUBEBUILDER_ASSETS: assets },
    timeoutMs: 900_000,
  });
  expect(outcome.code, `${outcome.stdout}${outcome.stderr}`).toBe(0);
}, 960_000);

test('kube-apiserver and etcd start without any file, and end at SIGTERM', async () => {
  const [port, client] = [await freePort(), await freePort()];
  const etcd = start('etcd', '--listen-client-urls', `http://127.0.0.1:${client}`, '--data-dir', folder);
  const health = async () => await (await fetch(`http://127.0.0.1:${client}/health`)).text();
  await eventually('etcd is healthy', async () => (await health()) === '{"health":"true","reason":""}');
  expect((await fetch(`http://127.0.0.1:${client}/v3/kv/range`, { method: 'POST' })).status).toBe(404);
  const flags = ['--bind-address=127.0.0.1', `--secure-port=${port}`, `--etcd-servers=http://127.0.0.1:${client}`];
  const server = start('kube-apiserver', ...flags, '--profiling=false');
  await eventually('the API server is ready', async () => (await statusOf(port, '/readyz')) === 200);
  // The default of Kubernetes lets every user do everything.
  expect(await statusOf(port, '/api/v1/namespaces/kube-system')).toBe(200);
  for (const child of [server, etcd]) {
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
  }
  expect(stderrOf(server)).toBe('kube-apiserver: --profiling has no effect here\n');
});

test.each(['kube-apiserver', 'etcd'])('%s says what it takes, and refuses anything else in one line', async (name) => {
  const program = join(assets, name);
  expect((await run(program, ['--help'])).stdout).toMatch(/^ {6}--[a-z-]+$/m);
  expect((await run(program, ['--version'])).stdout).toMatch(
    name === 'etcd' ? /^etcd Version: 3/ : /^Kubernetes v1\.37/,
  );
  expect(await run(program, ['--nonsense=1'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `${name}: unknown flag: --nonsense\n`,
  });
});

test('dev assets replaces its own programs, and no others', async () => {
  expect(await slipway(['dev', 'assets', assets, '--kubernetes', '1.36', '-o', 'json'])).toMatchObject({ code: 0 });
  expect((await run(join(assets, 'kube-apiserver'), ['--version'])).stdout).toBe('Kubernetes v1.36.0\n');
  writeFileSync(join(folder, 'etcd'), 'another etcd');
  expect(await slipway(['dev', 'assets', folder])).toEqual({
    code: 1,
    stdout: '',
    stderr: `slipway: ${join(folder, 'etcd')} is another program\nTo fix: name another folder, or remove the file\n`,
  });
});

const problems = new WeakMap<ChildProcess, string>();
const stderrOf = (child: ChildProcess) => problems.get(child) ?? '';

function start(name: string, ...flags: string[]): ChildProcess {
  const child = spawn(join(assets, name), flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr?.on('data', (chunk: Buffer) => problems.set(child, stderrOf(child) + chunk.toString()));
  children.push(child);
  return child;
}

function statusOf(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
