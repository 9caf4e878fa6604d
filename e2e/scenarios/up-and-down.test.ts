import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Kube } from '@slipway/kube';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { findKubectl, needs } from '../../tools/real-parts.js';
import { eventually, run, upAlone } from '../support/slipway.js';

const launcher = fileURLToPath(new URL('../../slipway', import.meta.url));
const upOptions = ['--ephemeral', '--nodes', '1', '--feature-servers', '0', '--port', '0', '-o', 'json'];
const upCommand = `${launcher} up ${upOptions.join(' ')}`;

let folder = '';
let env: NodeJS.ProcessEnv = {};
const pids: number[] = [];

beforeEach(() => {
  folder = testFolder();
  env = { ...process.env, HOME: folder, XDG_RUNTIME_DIR: join(folder, 'run'), XDG_DATA_HOME: join(folder, 'data') };
  delete env.KUBECONFIG;
});
afterEach(async () => {
  for (const pid of pids.splice(0)) {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    await eventually('the process has ended', async () => !isRunning(pid));
  }
});

test('up --detach returns when the cluster is ready, and down ends it', async () => {
  const words = ['--detach', '--ephemeral', '--nodes', '1', '--port', '0', '--kubernetes', '1.36'];
  const detached = await run(launcher, ['up', ...words], { env });
  expect(detached, detached.stderr).toMatchObject({ code: 0, stderr: '' });
  expect(detached.stdout).toMatch(/^ {2}Kubernetes +1\.36$/m);
  const [, log = ''] = /^ {2}Log +(.+)$/m.exec(detached.stdout) ?? [];
  expect(log).toBe(join(folder, 'data/slipway/clusters/dev/up.log'));
  expect(existsSync(log)).toBe(true);
  expect(detached.stdout).toContain(`${launcher} down stops it.`);
  const [running] = JSON.parse((await run(launcher, ['status', '-o', 'json'], { env })).stdout);
  pids.push(running.pid);
  const features = await run(launcher, ['feature', 'list', '-o', 'name'], { env });
  expect(features.stdout).toContain('maxunavailablestatefulset');

  const again = await run(launcher, ['up', '--detach', ...upOptions], { env });
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toMatch(/^slipway: cluster "dev" is already running .*\nTo fix: .*\n$/);
  expect(readFileSync(log, 'utf8')).not.toContain('already running');

  const down = await run(launcher, ['down'], { env });
  expect(down).toMatchObject({ code: 0, stdout: expect.stringContaining('Stopped cluster "dev"') });
  await eventually('it has ended', async () => !isRunning(running.pid));
});

test('up listens on loopback alone, and with --bind 0.0.0.0 on every address', async (context) => {
  needs(context, 'kubectl');
  const kubeconfig = join(folder, 'kubeconfig');
  const elsewhere = async (...words: string[]) => {
    const flags = ['--detach', '--ephemeral', '--nodes', '1', '--port', '0', '--kubeconfig', kubeconfig];
    const started = await run(launcher, ['up', ...flags, ...words, '-o', 'json'], { env });
    expect(started, started.stderr).toMatchObject({ code: 0 });
    const { url, pid } = JSON.parse(started.stdout);
    pids.push(pid);
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:/);
    // Another address of loopback, which is none of the names in the certificate.
    const server = ['--server', url.replace('127.0.0.1', '127.0.0.2'), '--tls-server-name', '127.0.0.1'];
    const asked = await run(findKubectl() ?? '', ['get', '--raw', '/readyz', ...server, '--kubeconfig', kubeconfig]);
    expect(await run(launcher, ['down'], { env })).toMatchObject({ code: 0 });
    return asked;
  };
  expect((await elsewhere()).stderr).toMatch(/refused/);
  expect(await elsewhere('--bind', '0.0.0.0')).toMatchObject({ code: 0, stdout: 'ok' });
  const wrong = await run(launcher, ['up', '--bind', 'everywhere'], { env });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('"everywhere" is not an IP address') });
});

test('up --detach fails as up does, and leaves a folder that is not its own alone', async () => {
  const words = ['--data-dir', folder, '--detach', ...upOptions];
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  const done = await run(launcher, ['up', ...words], { env });
  expect(done).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/is not empty.*\nTo fix: .*\n$/) });
  expect(existsSync(join(folder, 'up.log'))).toBe(false);
});

test('status shows the clusters that answer, and in one line each of the others', async () => {
  const silent = await started(`${upCommand} --name silent`);
  const well = await started(`${upCommand} --name well`);
  process.kill(silent.pid, 'SIGSTOP');
  const status = await run(launcher, ['status'], { env });
  process.kill(silent.pid, 'SIGCONT');
  expect(status.stdout).toMatch(/^NAME .*\nwell .*\n$/);
  expect(status.stderr).toBe(
    `slipway: cluster "silent" (pid ${silent.pid}) does not answer: no answer within 10 s; ` +
      `to fix: end process ${silent.pid} and start it again with ${launcher} up\n`,
  );
  expect(status.code).toBe(3);
  expect((await run(launcher, ['down', '--name', 'silent'], { env })).code).toBe(0);
  process.kill(well.pid, 'SIGKILL');
  await eventually('it has ended', async () => !isRunning(well.pid));
  const none = await run(launcher, ['status', '-o', 'json'], { env });
  expect(none).toMatchObject({ code: 1, stdout: '[]\n' });
});

test('up that fails after its API answers ends with one line and its exit code', async () => {
  const dataDir = join(folder, 'rejecting');
  const cluster = await upAlone({ dataDir, nodes: 1, args: ['--feature-servers', '0'] });
  pids.push(cluster.process.pid ?? 0);
  const kube = await Kube.connect({ kubeconfig: cluster.kubeconfig });
  for (const [kind, spec] of rejectDefinitions) {
    const plural = kind.endsWith('y') ? 'validatingadmissionpolicies' : 'validatingadmissionpolicybindings';
    const resource = { group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false } as const;
    const apiVersion = 'admissionregistration.k8s.io/v1';
    await kube.resource(resource).create({ apiVersion, kind, metadata: { name: 'rejecting' }, ...spec });
  }
  await cluster.end('SIGTERM');
  const words = ['--nodes', '1', '--port', '0', '--data-dir', join(dataDir, 'data'), '--kubeconfig', join(folder, 'k')];
  const failed = await run(launcher, ['up', ...words], { env });
  expect(failed).toMatchObject({ code: 4, stdout: '' });
  expect(failed.stderr).toMatch(/^slipway: .* kinds may not be defined\n(To fix: .*\n)?$/);
});

const rejectDefinitions: readonly [kind: string, fields: Readonly<Record<string, unknown>>][] = [
  [
    'ValidatingAdmissionPolicy',
    {
      spec: {
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ['apiextensions.k8s.io'],
              apiVersions: ['*'],
              operations: ['CREATE', 'UPDATE'],
              resources: ['customresourcedefinitions'],
            },
          ],
        },
        validations: [{ expression: 'false', message: 'kinds may not be defined' }],
      },
    },
  ],
  ['ValidatingAdmissionPolicyBinding', { spec: { policyName: 'rejecting', validationActions: ['Deny'] } }],
];

/** What is killed: the process that the test started, the shell that npm starts, or the cluster's own. */
const killed: [string, string, string, NodeJS.Signals][] = [
  ['npm', 'npm start', upCommand, 'SIGKILL'],
  ['npm', 'npm start', upCommand, 'SIGHUP'],
  ['npm', 'npm start', upCommand, 'SIGTERM'],
  ['npm with a shell between', 'npm start', `${upCommand}; true`, 'SIGKILL'],
  ['the shell between', 'npm start', `${upCommand}; true`, 'SIGKILL'],
  ['the launcher', upCommand, '', 'SIGINT'],
  ['the launcher', upCommand, '', 'SIGTERM'],
  ['the launcher', upCommand, '', 'SIGHUP'],
];
test.each(killed)('killing %s leaves no process behind (%s; %s; %s)', async (what, command, script, signal) => {
  const { child, pid } = await started(command, script);
  const victim = what === 'the shell between' ? parentOf(pid) : (child.pid ?? 0);
  process.kill(victim, signal);
  await eventually('the cluster has ended', async () => !isRunning(pid));
});

test('nohup and setsid leave the cluster running when its terminal or its shell has ended', async () => {
  const { pid } = await started(`nohup ${upCommand}`);
  process.kill(pid, 'SIGHUP');
  const left = await started(`sh -c`, `setsid ${upCommand} --name other & read -r _`);
  left.child.stdin?.end();
  await new Promise((resolve) => left.child.once('exit', resolve));
  for (const name of ['dev', 'other']) {
    const down = await run(launcher, ['down', '--name', name], { env });
    expect(down, down.stderr).toMatchObject({ code: 0 });
  }
});

/** Starts a command; with `npm start` its script, else its last word, is `script`. Resolves when its cluster is up. */
async function started(command: string, script = ''): Promise<{ child: ChildProcess; pid: number }> {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, scripts: { start: script } }));
  const [program = '', ...words] = command.split(' ');
  if (program === 'sh') words.push(script);
  const child = spawn(program, words, { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
  pids.push(child.pid ?? 0);
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{')) resolve(JSON.parse(line).pid);
    });
  });
  pids.push(pid);
  return { child, pid };
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** A zombie process is not running. */
function isRunning(pid: number): boolean {
  return !['Z', 'X', undefined].includes(statOf(pid)[0]);
}

function statOf(pid: number): string[] {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return [];
  const stat = readFileSync(path, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
