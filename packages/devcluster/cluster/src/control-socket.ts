import { createHash } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '@slipway/kube';
import type { DataDir } from './data-paths.js';

/** A request to a running cluster; `verb` says what for. One JSON object on one line. */
export interface ControlRequest {
  readonly verb: string;
  readonly [argument: string]: unknown;
}

/** What came of it. The error carries what a person should read. */
export type ControlAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: { readonly message: string; readonly hint?: string } };

export interface ControlServer {
  /** Takes no more requests, at once. Resolves when those under way are answered. */
  close(): Promise<void>;
}

/** Longest request that is read; more is not one of ours. */
const longestRequest = 64 * 1024;

/** The path to listen on. Unix allows about 100 bytes; a deep data directory gets a place with a short name. */
export function controlPath(dir: DataDir): string {
  const hash = createHash('sha256').update(dir.path).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\slipway-${hash}`;
  return Buffer.byteLength(dir.socket) <= 100 ? dir.socket : join(tmpdir(), `slipway-${hash}.sock`);
}

/**
 * Answers control requests on `path`, for the owner of the data directory only.
 * Whoever calls this holds the lock, so a socket that is there was left behind.
 */
export async function serveControl(
  path: string,
  answer: (request: ControlRequest) => Promise<unknown>,
): Promise<ControlServer> {
  const asking = new Set<Socket>();
  const server = createServer((socket) => {
    asking.add(socket);
    socket.on('close', () => asking.delete(socket));
    socket.on('error', () => socket.destroy());
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end < 0 && text.length > longestRequest) socket.destroy();
      if (end < 0) return;
      socket.removeAllListeners('data');
      asking.delete(socket);
      void answered(text.slice(0, end), answer).then((reply) => socket.end(`${JSON.stringify(reply)}\n`));
    });
  });
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  return {
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of asking) socket.destroy();
      await closed;
    },
  };
}

/**
 * Sends a request to the process that listens on `path`.
 * @throws ControlError when it rejects the request, and the system's error when no process listens.
 */
export function askControl(path: string, request: ControlRequest, timeoutMs = 30_000): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = createConnection(path, () => socket.write(`${JSON.stringify(request)}\n`));
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('end', () => {
      try {
        const answer = JSON.parse(text) as ControlAnswer;
        if (answer.ok) resolve(answer.result);
        else reject(new ControlError(answer.error.message, answer.error.hint));
      } catch (cause) {
        reject(new Error('the running cluster ended without an answer', { cause }));
      }
    });
  });
}

/** Whether a process listens on `path`. */
export function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path, () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** A running cluster refused a control request. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly hint: string | undefined;
  readonly exitCode = 2;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

async function answered(line: string, answer: (request: ControlRequest) => Promise<unknown>): Promise<ControlAnswer> {
  try {
    return { ok: true, result: (await answer(JSON.parse(line) as ControlRequest)) ?? null };
  } catch (error) {
    const message = errorMessage(error);
    const hint = error instanceof ControlError ? error.hint : undefined;
    return { ok: false, error: { message, ...(hint && { hint }) } };
  }
}
