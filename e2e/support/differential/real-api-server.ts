import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiServerFlags, endProcess, writeSecrets } from '../control-plane.js';
import { freePort } from '../free-port.js';
import { eventually } from '../slipway.js';
import type { Send } from './exchange.js';

/** A kube-apiserver over an etcd of its own, on loopback, without controllers: what it answers depends on the requests alone. */
export interface RealApiServer extends AsyncDisposable {
  /** Minor version: `1.37`. */
  readonly version: string;
  readonly send: Send;
}

/** Starts the etcd and kube-apiserver of a folder. */
export async function realApiServer(programs: string): Promise<RealApiServer> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-real-api-'));
  const [client, peer, secure] = [await freePort(), await freePort(), await freePort()];
  const children: ChildProcess[] = [];
  const start = (name: string, ...args: string[]) => {
    const log = openSync(join(folder, `${name}.log`), 'a');
    children.push(spawn(join(programs, name), args, { stdio: ['ignore', log, log] }));
    closeSync(log);
  };
  const dispose = async () => {
    for (const child of children.reverse()) await endProcess(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const at = (name: string) => join(folder, name);
  writeSecrets(at, ['admin,admin,1,system:masters']);
  start('etcd', ...etcdFlags(folder, client, peer));
  start('kube-apiserver', ...apiServerFlags(at, '127.0.0.1', client), ...ownFlags(secure));
  const send = sender(secure);
  const isReady = async () => (await send({ method: 'GET', path: '/readyz' }).catch(() => undefined))?.status === 200;
  try {
    await eventually('the API server is ready', isReady, 180_000);
  } catch (error) {
    await dispose();
    throw error;
  }
  const { major, minor } = JSON.parse((await send({ method: 'GET', path: '/version' })).text);
  return { version: `${major}.${minor}`, send, [Symbol.asyncDispose]: dispose };
}

function etcdFlags(folder: string, client: number, peer: number): readonly string[] {
  const urlOf = (port: number) => `http://127.0.0.1:${port}`;
  return [
    ...['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync', '--log-level', 'warn'],
    ...['--listen-client-urls', urlOf(client), '--advertise-client-urls', urlOf(client)],
    ...['--listen-peer-urls', urlOf(peer), '--initial-advertise-peer-urls', urlOf(peer)],
    ...['--initial-cluster', `default=${urlOf(peer)}`],
  ];
}

function ownFlags(secure: number): readonly string[] {
  return [
    `--secure-port=${secure}`,
    // Kubernetes rejects endpoints on loopback.
    '--endpoint-reconciler-type=none',
    '--allow-privileged=true',
  ];
}

function sender(port: number): Send {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return ({ method, path, contentType, accept, body }, begun) =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: 'Bearer admin',
        'user-agent': 'differential',
        accept: accept ?? 'application/json',
        ...(contentType !== undefined && { 'content-type': contentType }),
        // Node sends none of its own with DELETE.
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      };
      const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
        begun?.();
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', reject);
        answer.on('end', () => {
          const warnings = answer.headersDistinct.warning ?? [];
          const contentType = answer.headers['content-type'] ?? '';
          resolve({ status: answer.statusCode ?? 0, contentType, warnings, text: Buffer.concat(pieces).toString() });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
}
