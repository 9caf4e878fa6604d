import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { parsed } from './fetch-transport.js';
import { jsonLines } from './json-lines.js';
import { type GateRequest, type GateTransport, RefusedError } from './transport.js';

/** Where the cluster is, when it is not where every pod finds it. */
export interface InClusterOptions {
  /** Folder with `token` and `ca.crt`. The one that is mounted into pods when absent. */
  readonly folder?: string;
  /** URL of the API server. From KUBERNETES_SERVICE_HOST and _PORT when absent. */
  readonly server?: string;
}

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The transport of a process in a pod: `node:https` with the cluster's CA and the
 * token of the service account, read anew for each request because it is replaced
 * hourly. Where this is not a pod, requests reject and say so.
 */
export function inClusterTransport(options: InClusterOptions = {}): GateTransport {
  const folder = options.folder ?? mounted;
  let agent: Agent | undefined;
  const open = async (request: GateRequest, signal: AbortSignal | undefined): Promise<IncomingMessage> => {
    const server = new URL(options.server ?? serverOfThisPod());
    if (server.protocol === 'https:') agent ??= await secureAgent(folder);
    const token = (await readFile(join(folder, 'token'), 'utf8')).trim();
    const body = request.body === undefined ? '' : JSON.stringify(request.body);
    const headers: Record<string, string> = { accept: 'application/json', authorization: `Bearer ${token}` };
    if (body !== '') {
      headers['content-type'] = request.contentType ?? 'application/json';
      headers['content-length'] = String(Buffer.byteLength(body));
    }
    const send = agent ? httpsRequest : httpRequest;
    const settings = { method: request.method, headers, ...(agent ? { agent } : {}), ...(signal ? { signal } : {}) };
    return new Promise((resolve, reject) => {
      send(new URL(request.path, server), settings, resolve).on('error', reject).end(body);
    });
  };
  return {
    async request(request) {
      const message = await open(request, request.signal);
      return { status: message.statusCode ?? 0, headers: single(message), body: parsed(await textOf(message)) };
    },
    async *stream(request, signal) {
      const message = await open(request, signal);
      if (message.statusCode !== 200) {
        const body = parsed(await textOf(message));
        throw new RefusedError('watching', { status: message.statusCode ?? 0, headers: single(message), body });
      }
      yield* jsonLines(message);
    },
  };
}

function serverOfThisPod(): string {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
  if (!host) {
    throw new Error('KUBERNETES_SERVICE_HOST is not set: this process does not run in a pod, so give it a transport');
  }
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Few connections, kept: one for requests, one for each watch. */
async function secureAgent(folder: string): Promise<Agent> {
  return new Agent({ keepAlive: true, ca: await readFile(join(folder, 'ca.crt')) });
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function single(message: IncomingMessage): Record<string, string> {
  const entries = Object.entries(message.headers).map(([name, value]) => [name, String(value ?? '')]);
  return Object.fromEntries(entries);
}
