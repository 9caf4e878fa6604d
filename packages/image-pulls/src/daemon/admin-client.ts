import { request } from 'node:http';
import type { DaemonState } from './pull-daemon.js';

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
  state(): Promise<DaemonState>;
  /** For so long, or until the configuration is read again. */
  setLimit(limit: number, forMs?: number): Promise<DaemonState>;
  /** Sets the limit of the cluster, which applies for `forMs` unless one is set by hand. */
  setClusterLimit(limit: number, forMs: number): Promise<DaemonState>;
  /** Withdraws the limit of the cluster. */
  withdrawClusterLimit(): Promise<DaemonState>;
  pause(): Promise<DaemonState>;
  resume(): Promise<DaemonState>;
  /** Refuses the calls that wait for an image. */
  drop(image: string): Promise<{ readonly dropped: number }>;
  /** Refuses the waiting calls of pods that no longer are. */
  podsGone(uids: readonly string[]): Promise<{ readonly dropped: number }>;
  /** Passes everything on as it is, or no longer. */
  bypass(on: boolean): Promise<DaemonState>;
  /** Reads the configuration again; what is wrong with it is in the log. */
  reload(): Promise<DaemonState>;
}

export function adminClient(socketPath: string): AdminClient {
  const ask = async <T>(method: 'GET' | 'POST', path: string, body?: object) =>
    (await exchange(socketPath, method, path, body)) as T;
  return {
    state: () => ask('GET', '/state'),
    setLimit: (limit, forMs) => ask('POST', '/limit', { limit, forMs }),
    setClusterLimit: (limit, forMs) => ask('POST', '/cluster-limit', { limit, forMs }),
    withdrawClusterLimit: () => ask('POST', '/cluster-limit'),
    pause: () => ask('POST', '/pause'),
    resume: () => ask('POST', '/resume'),
    drop: (image) => ask('POST', '/drop', { image }),
    podsGone: (uids) => ask('POST', '/pods-gone', { uids }),
    bypass: (on) => ask('POST', '/bypass', { on }),
    reload: () => ask('POST', '/reload'),
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
