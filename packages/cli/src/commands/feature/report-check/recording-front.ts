import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** One request of the checked program. */
export interface SeenRequest {
  /** On the monotonic clock of this process. */
  readonly atMs: number;
  readonly method: string;
  /** Path with its query string. */
  readonly path: string;
}

/** What happens to a request instead of being answered. */
export type Fault = { readonly status: number; readonly retryAfterSeconds?: number } | 'reset';

/** Where the front forwards requests to, and as whom. */
export interface FrontOptions {
  /** URL of the API server, `https://...`. */
  readonly server: string;
  /** PEM of its authority. */
  readonly ca: string;
  /** Sent instead of the program's own token. */
  readonly token: string;
}

/**
 * The API server as the checked program sees it: plain HTTP on loopback before a cluster. Records requests and injects faults.
 * Only `acceptedToken` is accepted, so that a token can expire at a moment of the checker's choosing.
 */
export class RecordingFront implements AsyncDisposable {
  readonly seen: SeenRequest[] = [];
  acceptedToken = '';
  /** Asked for each request; undefined lets it through. */
  fault: ((request: SeenRequest) => Fault | undefined) | undefined;
  readonly #options: FrontOptions;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((request, response) => this.#serve(request, response));

  private constructor(options: FrontOptions) {
    this.#options = options;
  }

  static async listen(options: FrontOptions): Promise<RecordingFront> {
    const front = new RecordingFront(options);
    front.#server.on('connection', (socket) => {
      front.#sockets.add(socket);
      socket.on('error', () => {}).once('close', () => front.#sockets.delete(socket));
    });
    await new Promise<void>((listening) => front.#server.listen(0, '127.0.0.1', listening));
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Requests since a moment of the monotonic clock. */
  since(atMs: number): readonly SeenRequest[] {
    return this.seen.filter((request) => request.atMs >= atMs);
  }

  /** Breaks every open connection, watches included. */
  reset(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.reset();
    await new Promise((closed) => this.#server.close(closed));
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url: path = '/' } = request;
    const seen = { atMs: performance.now(), method, path };
    this.seen.push(seen);
    const fault = this.fault?.(seen);
    if (fault === 'reset') request.socket.destroy();
    else if (fault) refuse(response, fault.status, fault.retryAfterSeconds);
    else if (request.headers.authorization !== `Bearer ${this.acceptedToken}`) refuse(response, 401);
    else this.#forward(request, response);
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    const { server, ca, token } = this.#options;
    const headers = { ...request.headers, host: new URL(server).host, authorization: `Bearer ${token}` };
    const forwarded = httpsRequest(new URL(request.url ?? '/', server), { method: request.method, headers, ca });
    forwarded.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // Without this the first event of a watch would wait for the second.
      response.flushHeaders();
      answer.on('error', () => response.destroy()).pipe(response);
    });
    forwarded.once('error', () => response.destroy());
    response.once('close', () => forwarded.destroy());
    request.pipe(forwarded);
  }
}

function refuse(response: ServerResponse, status: number, retryAfterSeconds?: number): void {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'refused by the checker', code: status };
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
