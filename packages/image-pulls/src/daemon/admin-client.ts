import { request } from 'node:http';
import type { PullState } from '../limiter/pull-limiter.js';

/** The daemon refused, and said why. */
export class DaemonRefusedError extends Error {
  override readonly name = 'DaemonRefusedError';
}

/** No daemon answers at the admin socket. */
export class DaemonAwayError extends Error {
  override readonly name = 'DaemonAwayError';
}

/** Steers a running daemon through its admin socket. Every method throws DaemonRefusedError or DaemonAwayError. */
export interface AdminClient {
  state(): Promise<PullState>;
  setLimit(limit: number): Promise<PullState>;
  pause(): Promise<PullState>;
  resume(): Promise<PullState>;
  drop(image: string): Promise<{ readonly dropped: number }>;
}

export function adminClient(socketPath: string): AdminClient {
  const ask = async <T>(method: 'GET' | 'POST', path: string, body?: object) =>
    (await exchange(socketPath, method, path, body)) as T;
  return {
    state: () => ask('GET', '/state'),
    setLimit: (limit) => ask('POST', '/limit', { limit }),
    pause: () => ask('POST', '/pause'),
    resume: () => ask('POST', '/resume'),
    drop: (image) => ask('POST', '/drop', { image }),
  };
}

function exchange(socketPath: string, method: string, path: string, body?: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, method, path, agent: false, timeout: 5_000 }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const answer = JSON.parse(Buffer.concat(chunks).toString()) as { error?: string };
        if (response.statusCode === 200) resolve(answer);
        else reject(new DaemonRefusedError(answer.error ?? `status ${response.statusCode}`));
      });
    });
    call.once('timeout', () => call.destroy(new Error('no answer within 5 s')));
    call.once('error', (cause) => {
      reject(new DaemonAwayError(`no pull limiter answers at ${socketPath}: ${cause.message}`, { cause }));
    });
    call.end(body && JSON.stringify(body));
  });
}
