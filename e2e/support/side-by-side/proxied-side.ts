import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { endProcess } from '../control-plane.js';
import { eventually } from '../slipway.js';

/** One of two clusters that are asked for the same, as their administrator, through `kubectl proxy`. */
export interface ProxiedSide extends AsyncDisposable {
  get<T>(path: string): Promise<T>;
  /** Any other verb; the body of a PATCH is a merge patch. Resolves with the code of the answer. */
  send(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<number>;
}

/** `kubectl` is a program that finds its cluster with this kubeconfig. */
export async function proxiedSide(kubectl: string, kubeconfig: string): Promise<ProxiedSide> {
  const socketPath = `${kubeconfig}.sock`;
  const words = ['proxy', `--unix-socket=${socketPath}`, `--kubeconfig=${kubeconfig}`];
  const proxy = spawn(kubectl, words, { stdio: 'ignore' });
  await eventually('the proxy listens', async () => existsSync(socketPath));
  const agent = new Agent({ keepAlive: true });
  const exchange = (method: string, path: string, body?: object) =>
    new Promise<{ readonly code: number; readonly text: string }>((resolve, reject) => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const text = body ? JSON.stringify(body) : '';
      const headers = { 'content-type': type, 'content-length': Buffer.byteLength(text) };
      const sent = request({ socketPath, agent, method, path, headers }, async (answer) => {
        const parts: Buffer[] = [];
        for await (const part of answer) parts.push(part);
        resolve({ code: answer.statusCode ?? 0, text: `${Buffer.concat(parts)}` });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  return {
    async get(path) {
      const { code, text } = await exchange('GET', path);
      if (code !== 200) throw new Error(`${path}: ${code} ${text}`);
      return JSON.parse(text);
    },
    send: async (method, path, body) => (await exchange(method, path, body)).code,
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await endProcess(proxy);
    },
  };
}
