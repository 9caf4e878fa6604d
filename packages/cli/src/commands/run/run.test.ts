import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runnable } from '@slipway/kube';
import { expect, test } from 'vitest';
import { exit, Interrupted } from '../../runtime/exit.js';
import { recordedRun } from '../../testing/recorded-run.js';
import { recordedTerminal } from '../../testing/recorded-terminal.js';
import { runProcess } from './run-process.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-run-'));
const noKubeconfig = join(folder, 'none');
const badTasks = join(folder, 'tasks.yaml');
writeFileSync(badTasks, 'webhooks: {drain: {url: "http://plain"}}');

// what was typed | what is said
const refused: [string[], RegExp][] = [
  [['node-agent'], /the name of this node is missing\nTo fix: name it with --node/],
  [['node-agent', '--node', 'n1', '--port', 'etcd:2379'], /"etcd:2379" is not a component and its port/],
  [['node-agent', '--node', 'n1', '--component-ca', noKubeconfig], /none cannot be read\nTo fix: /],
  [['node-agent', '--node', 'n1', '--listen', '8080'], /"8080" is not an address and a port/],
  [['feature-server', '--tasks', badTasks], /must be an address that begins with https.*\nTo fix: /],
  [['feature-server', '--kubeconfig', noKubeconfig], /cannot be read\nTo fix: .*--kubeconfig/],
  [['balloon-controller', '--config', noKubeconfig], /cannot read .*\nTo fix: /],
];

test.each(refused)('slipway run %j is refused as wrong usage', async (argv, says) => {
  expect(await recordedRun(['run', ...argv])).toEqual({ code: exit.usage, out: '', err: expect.stringMatching(says) });
});

function aPart(work: (signal: AbortSignal) => Promise<void> | void): Runnable & { readonly said: string[] } {
  const said: string[] = [];
  return {
    said,
    name: 'part',
    start: work,
    stop: () => void said.push('stopped'),
    ready: () => said.includes('ready'),
  };
}

function invoked() {
  const stop = new AbortController();
  const codes: number[] = [];
  const { terminal, written } = recordedTerminal();
  const invocation = { terminal, signal: stop.signal, answer: (code: number) => void codes.push(code) };
  return { stop, codes, written, invocation };
}

const listen = { host: '127.0.0.1', port: 0 };

test('runProcess() serves health while it runs, and stops its parts at SIGTERM', async () => {
  const { stop, codes, written, invocation } = invoked();
  const part = aPart(() => {});
  const running = runProcess({ parts: [part], listen, metrics: () => 'a 1\n' }, invocation);
  await expect.poll(() => written.err).toContain('health at');
  const url = /health at (\S+)/.exec(written.err)?.[1];
  const get = async (path: string) => {
    const answer = await fetch(url + path);
    return [answer.status, await answer.text()];
  };
  expect(await get('/readyz')).toEqual([503, 'not ready yet\n']);
  part.said.push('ready');
  expect(await get('/readyz')).toEqual([200, 'ok\n']);
  expect(await get('/healthz?verbose')).toEqual([200, 'ok\n']);
  expect(await get('/metrics')).toEqual([200, 'a 1\n']);
  expect((await get('/elsewhere'))[0]).toBe(404);
  stop.abort(new Interrupted('SIGTERM'));
  await running;
  expect(part.said).toEqual(['ready', 'stopped']);
  expect(codes).toEqual([]);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test('runProcess() ends with the failure of a part, and stops the others', async () => {
  const { invocation } = invoked();
  const other = aPart((signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())));
  const broken = aPart(() => Promise.reject(new Error('broken')));
  await expect(runProcess({ parts: [other, broken], metrics: () => '' }, invocation)).rejects.toThrow('broken');
  expect(other.said).toEqual(['stopped']);
});

test('runProcess() says so when the address is taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const { invocation } = invoked();
  const running = runProcess({ parts: [], metrics: () => '', listen: { host: '127.0.0.1', port } }, invocation);
  await expect(running).rejects.toMatchObject({ code: exit.usage, hint: expect.stringContaining('--listen') });
  taken.close();
});
